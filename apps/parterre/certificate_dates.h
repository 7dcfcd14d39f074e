#pragma once

#include "wire/tls_files.h"

/// Warns in the log of certificates that have expired or are not yet valid: the process starts all
/// the same, since what it is given may be replaced before it matters.
void WarnOfCertificateDates(const wire::TlsFiles& files);
