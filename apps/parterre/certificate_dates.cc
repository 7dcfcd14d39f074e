#include "certificate_dates.h"

#include <chrono>
#include <string>

#include "common/log.h"
#include "wire/tls_material.h"

void WarnOfCertificateDates(const wire::TlsFiles& files) {
  for (const std::string& fault :
       wire::FindInvalidCertificates(files, std::chrono::system_clock::now())) {
    spdlog::warn("{}", fault);
  }
}
