#include "wire/tls_material.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <functional>
#include <memory>
#include <string>

#include "hub/temp_folder.h"

namespace wire {
namespace {

using std::chrono::hours;
using std::chrono::system_clock;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// 2030-01-01 00:00:00 UTC.
const system_clock::time_point kNow = system_clock::from_time_t(1'893'456'000);

std::string Written(const std::function<void(BIO*)>& write) {
  const std::unique_ptr<BIO, decltype(&BIO_free)> bio(BIO_new(BIO_s_mem()), &BIO_free);
  write(bio.get());
  char* text = nullptr;
  const auto size = static_cast<std::size_t>(BIO_get_mem_data(bio.get(), &text));
  return {text, size};
}

/// A key and a certificate that it has signed itself.
class Identity {
 public:
  explicit Identity(const char* type = "EC") : key_(Make(type), &EVP_PKEY_free) {}

  std::string Key() const {
    return Written([&](BIO* bio) {
      PEM_write_bio_PrivateKey(bio, key_.get(), nullptr, nullptr, 0, nullptr, nullptr);
    });
  }
  std::string EncryptedKey() const {
    return Written([&](BIO* bio) {
      PEM_write_bio_PrivateKey(bio, key_.get(), EVP_aes_128_cbc(), nullptr, 0, nullptr,
                               const_cast<char*>("secret"));
    });
  }
  /// Valid from `begin` to `end` after kNow.
  std::string Certificate(const char* name, hours begin = hours(-1), hours end = hours(1)) const {
    const std::unique_ptr<X509, decltype(&X509_free)> made(X509_new(), &X509_free);
    X509_set_version(made.get(), X509_VERSION_3);
    ASN1_TIME_set(X509_getm_notBefore(made.get()), system_clock::to_time_t(kNow + begin));
    ASN1_TIME_set(X509_getm_notAfter(made.get()), system_clock::to_time_t(kNow + end));
    X509_NAME* const subject = X509_get_subject_name(made.get());
    X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8,
                               reinterpret_cast<const unsigned char*>(name), -1, -1, 0);
    X509_set_issuer_name(made.get(), subject);
    X509_set_pubkey(made.get(), key_.get());
    X509_sign(made.get(), key_.get(), EVP_sha256());
    return Written([&](BIO* bio) { PEM_write_bio_X509(bio, made.get()); });
  }

 private:
  static EVP_PKEY* Make(const std::string& type) {
    if (type == "RSA") return EVP_PKEY_Q_keygen(nullptr, nullptr, "RSA", std::size_t{512});
    return EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", "P-256");
  }

  std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key_;
};

class TlsMaterialTest : public ::testing::Test {
 protected:
  std::string Write(const std::string& name, const std::string& bytes) {
    return folder_.Write(name, bytes).path() / name;
  }
  static void ExpectRefused(const absl::Status& status, const std::string& said) {
    EXPECT_FALSE(status.ok()) << said;
    EXPECT_THAT(std::string(status.message()), HasSubstr(said));
  }

  hub::TempFolder folder_;
  const Identity own_;
  const std::string certificate_ = Write("own.pem", own_.Certificate("own"));
  const std::string key_ = Write("own.key", own_.Key());
  const std::string garbage_ = Write("garbage.pem", "garbage\n");
};

TEST_F(TlsMaterialTest, WhatIsGoodIsRead) {
  const std::string chain = own_.Certificate("own") + Identity().Certificate("between");
  const TlsFiles files = {.certificate = Write("chain.pem", chain),
                          .key = key_,
                          .authority = Write("ca.pem", "A comment.\n" + chain)};
  for (const auto& material : {ReadServerTls(files), ReadClientTls(files)}) {
    ASSERT_TRUE(material.ok()) << material.status();
    EXPECT_EQ(material->certificate, chain);
    EXPECT_EQ(material->key, own_.Key());
    EXPECT_EQ(material->authority, "A comment.\n" + chain);
  }
  EXPECT_TRUE(ReadServerTls({}).ok());
  EXPECT_TRUE(ReadClientTls({.authority = certificate_}).ok());
}

TEST_F(TlsMaterialTest, WhatIsMissingIsNamed) {
  for (const auto& read : {&ReadServerTls, &ReadClientTls}) {
    ExpectRefused(read({.certificate = certificate_}).status(),
                  certificate_ + ": a certificate needs its key");
    ExpectRefused(read({.key = key_}).status(), key_ + ": a key needs its certificate");
    ExpectRefused(
        read({.certificate = certificate_, .key = "nowhere.key", .authority = certificate_})
            .status(),
        "nowhere.key: file not found");
  }
  ExpectRefused(ReadServerTls({.authority = certificate_}).status(),
                ": an authority for clients needs a certificate");
  ExpectRefused(ReadClientTls({.certificate = certificate_, .key = key_}).status(),
                ": a certificate needs the authority of the servers");
}

TEST_F(TlsMaterialTest, WhatIsWrongIsNamed) {
  const auto expect = [](const TlsFiles& files, const std::string& said) {
    ExpectRefused(ReadServerTls(files).status(), said);
  };
  expect({.certificate = garbage_, .key = key_}, garbage_ + ": expected certificates in PEM");
  expect({.certificate = key_, .key = key_}, key_ + ": expected certificates in PEM");
  expect({.certificate = certificate_, .key = garbage_}, garbage_ + ": expected a key in PEM");
  expect({.certificate = certificate_, .key = Write("secret.key", own_.EncryptedKey())},
         "secret.key: expected a key in PEM, not encrypted");
  expect({.certificate = certificate_, .key = Write("other.key", Identity().Key())},
         "other.key: expected the key of " + certificate_ + " (key values mismatch)");
  expect({.certificate = certificate_, .key = Write("rsa.key", Identity("RSA").Key())},
         "rsa.key: expected the key of " + certificate_);
  expect({.certificate = certificate_, .key = key_, .authority = garbage_},
         garbage_ + ": expected certificates in PEM");
  const std::string cut = own_.Certificate("own").substr(0, 300);
  expect({.certificate = Write("cut.pem", own_.Certificate("own") + cut), .key = key_},
         "cut.pem: expected certificates in PEM");
  const Identity weak("RSA");
  expect({.certificate = Write("weak.pem", weak.Certificate("weak")),
          .key = Write("weak.key", weak.Key())},
         "weak.pem: expected a certificate that may be used (ee key too small)");
}

TEST_F(TlsMaterialTest, DatesAreLookedAt) {
  const Identity other;
  const TlsFiles files = {
      .certificate = Write(
          "chain.pem", own_.Certificate("own") + other.Certificate("old", hours(-48), hours(-24))),
      .key = key_,
      .authority = Write("ca.pem", other.Certificate("new", hours(24), hours(48)))};
  EXPECT_THAT(
      FindInvalidCertificates(files, kNow),
      ElementsAre(
          files.certificate + ": the certificate of CN=old expired on 2029-12-31 00:00:00 UTC",
          files.authority +
              ": the certificate of CN=new is not valid before 2030-01-02 00:00:00 UTC"));
  EXPECT_THAT(FindInvalidCertificates({.certificate = certificate_, .key = key_}, kNow), IsEmpty());
  EXPECT_THAT(FindInvalidCertificates({}, kNow), IsEmpty());
}

}  // namespace
}  // namespace wire
