#include "ivy/net/response_head.h"

#include <fmt/format.h>

#include <ctime>
#include <iterator>

namespace ivy {
namespace {

const char* Reason(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 204:
      return "No Content";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 413:
      return "Content Too Large";
    case 415:
      return "Unsupported Media Type";
    case 422:
      return "Unprocessable Content";
    case 424:
      return "Failed Dependency";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    case 504:
      return "Gateway Timeout";
    default:
      return "";
  }
}

/// Of this second, as RFC 9110 section 5.6.7 writes it; made anew once a second and thread.
const std::string& Date() {
  thread_local std::time_t second = 0;
  thread_local std::string text;
  const std::time_t now = std::time(nullptr);
  if (now != second) {
    static constexpr const char* kDays[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    static constexpr const char* kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                              "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    std::tm utc{};
    gmtime_r(&now, &utc);
    text =
        fmt::format("{}, {:02} {} {} {:02}:{:02}:{:02} GMT", kDays[utc.tm_wday], utc.tm_mday,
                    kMonths[utc.tm_mon], utc.tm_year + 1900, utc.tm_hour, utc.tm_min, utc.tm_sec);
    second = now;
  }
  return text;
}

}  // namespace

void WriteResponseHead(const Response& response, bool keep_alive, std::string& out) {
  out.clear();
  auto end = std::back_inserter(out);
  fmt::format_to(end, "HTTP/1.1 {} {}\r\ndate: {}\r\n", response.status, Reason(response.status),
                 Date());
  if (response.status != 204) {
    fmt::format_to(end, "content-length: {}\r\n", response.body.size());
    if (!response.body.empty()) fmt::format_to(end, "content-type: {}\r\n", response.content_type);
  }
  fmt::format_to(end, "connection: {}\r\n", keep_alive ? "keep-alive" : "close");
  for (const Header& header : response.headers) {
    fmt::format_to(end, "{}: {}\r\n", header.name, header.value);
  }
  out += "\r\n";
}

}  // namespace ivy
