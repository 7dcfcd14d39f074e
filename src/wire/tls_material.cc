#include "wire/tls_material.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <ctime>
#include <memory>
#include <utility>

#include "common/file.h"

namespace wire {
namespace {

constexpr std::size_t kPemBytesMax = std::size_t{1} << 20;

template <auto Free>
struct Freer {
  template <typename T>
  void operator()(T* object) const {
    Free(object);
  }
};
using Bio = std::unique_ptr<BIO, Freer<&BIO_free>>;
using Certificate = std::unique_ptr<X509, Freer<&X509_free>>;
using Key = std::unique_ptr<EVP_PKEY, Freer<&EVP_PKEY_free>>;
using Context = std::unique_ptr<SSL_CTX, Freer<&SSL_CTX_free>>;

/// With what OpenSSL has last said, which is then forgotten.
absl::Status Unusable(const std::string& file, const std::string& expected) {
  const char* const reason = ERR_reason_error_string(ERR_peek_last_error());
  ERR_clear_error();
  return absl::InvalidArgumentError(fmt::format("{}: expected {} ({})", file, expected,
                                                reason != nullptr ? reason : "unreadable"));
}

/// Else a key with a password would ask for it on the terminal.
int NoPassword(char* /*buffer*/, int /*size*/, int /*writing*/, void* /*argument*/) { return 0; }

absl::StatusOr<std::string> Read(const std::string& file) {
  if (file.empty()) return std::string();
  return common::ReadFile(file, kPemBytesMax);
}

Bio Open(const std::string& pem) {
  return Bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
}

absl::StatusOr<std::vector<Certificate>> ParseCertificates(const std::string& file,
                                                           const std::string& pem) {
  ERR_clear_error();
  const Bio bio = Open(pem);
  std::vector<Certificate> certificates;
  while (X509* const next = PEM_read_bio_X509(bio.get(), nullptr, NoPassword, nullptr)) {
    certificates.emplace_back(next);
  }
  const bool at_end = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
  if (certificates.empty() || !at_end) return Unusable(file, "certificates in PEM");
  ERR_clear_error();
  return certificates;
}

absl::Status TryIdentity(const TlsFiles& files, const TlsMaterial& material) {
  ASSIGN_OR_RETURN(const std::vector<Certificate> chain,
                   ParseCertificates(files.certificate, material.certificate));
  const Key key(PEM_read_bio_PrivateKey(Open(material.key).get(), nullptr, NoPassword, nullptr));
  if (key == nullptr) return Unusable(files.key, "a key in PEM, not encrypted");
  const Context context(SSL_CTX_new(TLS_method()));
  // What OpenSSL's security level refuses, such as a short key.
  if (SSL_CTX_use_certificate(context.get(), chain.front().get()) != 1) {
    return Unusable(files.certificate, "a certificate that may be used");
  }
  // A context would take a key of another kind for that of a certificate to come.
  if (X509_check_private_key(chain.front().get(), key.get()) != 1) {
    return Unusable(files.key, fmt::format("the key of {}", files.certificate));
  }
  return absl::OkStatus();
}

absl::Status CheckPair(const TlsFiles& files) {
  if (files.certificate.empty() == files.key.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      files.key.empty() ? fmt::format("{}: a certificate needs its key", files.certificate)
                        : fmt::format("{}: a key needs its certificate", files.key));
}

absl::StatusOr<TlsMaterial> ReadAndTry(const TlsFiles& files) {
  TlsMaterial material;
  ASSIGN_OR_RETURN(material.certificate, Read(files.certificate));
  ASSIGN_OR_RETURN(material.key, Read(files.key));
  ASSIGN_OR_RETURN(material.authority, Read(files.authority));
  if (!files.certificate.empty()) RETURN_IF_ERROR(TryIdentity(files, material));
  if (!files.authority.empty()) {
    RETURN_IF_ERROR(ParseCertificates(files.authority, material.authority).status());
  }
  return material;
}

std::string SubjectOf(const X509& certificate) {
  const Bio bio(BIO_new(BIO_s_mem()));
  X509_NAME_print_ex(bio.get(), X509_get_subject_name(&certificate), 0, XN_FLAG_RFC2253);
  char* text = nullptr;
  const auto size = static_cast<std::size_t>(BIO_get_mem_data(bio.get(), &text));
  return {text, size};
}

std::string Date(const ASN1_TIME& time) {
  std::tm date{};
  ASN1_TIME_to_tm(&time, &date);
  return fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", date);
}

/// Empty: it is valid.
std::string Fault(const X509& certificate, std::time_t now) {
  const ASN1_TIME& begin = *X509_get0_notBefore(&certificate);
  const ASN1_TIME& end = *X509_get0_notAfter(&certificate);
  if (ASN1_TIME_cmp_time_t(&begin, now) > 0) return "is not valid before " + Date(begin);
  if (ASN1_TIME_cmp_time_t(&end, now) < 0) return "expired on " + Date(end);
  return {};
}

}  // namespace

absl::StatusOr<TlsMaterial> ReadServerTls(const TlsFiles& files) {
  RETURN_IF_ERROR(CheckPair(files));
  if (files.certificate.empty() && !files.authority.empty()) {
    return absl::InvalidArgumentError(
        fmt::format("{}: an authority for clients needs a certificate", files.authority));
  }
  return ReadAndTry(files);
}

absl::StatusOr<TlsMaterial> ReadClientTls(const TlsFiles& files) {
  RETURN_IF_ERROR(CheckPair(files));
  if (files.authority.empty() && !files.certificate.empty()) {
    return absl::InvalidArgumentError(
        fmt::format("{}: a certificate needs the authority of the servers", files.certificate));
  }
  return ReadAndTry(files);
}

std::vector<std::string> FindInvalidCertificates(const TlsFiles& files,
                                                 std::chrono::system_clock::time_point now) {
  std::vector<std::string> found;
  for (const std::string& file : {files.certificate, files.authority}) {
    const absl::StatusOr<std::string> pem = Read(file);
    if (!pem.ok() || pem->empty()) continue;
    const absl::StatusOr<std::vector<Certificate>> certificates = ParseCertificates(file, *pem);
    if (!certificates.ok()) continue;
    for (const Certificate& certificate : *certificates) {
      const std::string fault = Fault(*certificate, std::chrono::system_clock::to_time_t(now));
      if (fault.empty()) continue;
      found.push_back(
          fmt::format("{}: the certificate of {} {}", file, SubjectOf(*certificate), fault));
    }
  }
  return found;
}

}  // namespace wire
