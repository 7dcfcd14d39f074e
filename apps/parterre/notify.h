#pragma once

#include <string_view>

/// Tells the service manager that started the process, if one asks ($NOTIFY_SOCKET), how it is:
/// READY=1, STOPPING=1 (systemd's sd_notify protocol). What cannot be told is logged.
void NotifyManager(std::string_view state);
