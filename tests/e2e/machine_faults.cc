// Preloaded into the program: what a machine does to it when a test says so. $MACHINE_FAULTS names
// a file of switches, mapped by both (machine_faults.py).

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <string>

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
}

namespace {

/// In the order of machine_faults.py.
struct Switches {
  std::atomic<int64_t> clock_offset_s;  ///< Added to the time of day.
  std::atomic<int64_t> allocation_max;  ///< Larger ones fail; 0: none does.
  std::atomic<int64_t> disk_full;       ///< Nothing can be written to files.
  std::atomic<int64_t> step_fault;      ///< What ends each step of failing_engine.cc; 0: its rows.
  std::atomic<int64_t> cut_mapped_files;  ///< A file is cut short as soon as it is mapped.
};

Switches none;
std::atomic<Switches*> switches{&none};

__attribute__((constructor)) void MapSwitches() {
  const char* const path = std::getenv("MACHINE_FAULTS");
  const int file = path == nullptr ? -1 : ::open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return;
  void* const page = ::mmap(nullptr, sizeof(Switches), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  ::close(file);
  if (page != MAP_FAILED) switches = static_cast<Switches*>(page);
}

template <typename Function>
Function* Next(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

bool Fails(std::size_t bytes) {
  const int64_t most = switches.load()->allocation_max;
  if (most == 0 || static_cast<int64_t>(bytes) <= most) return false;
  errno = ENOMEM;
  return true;
}

bool DiskIsFull(int file) {
  struct stat status {};
  if (switches.load()->disk_full == 0 || ::fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
    return false;
  }
  errno = ENOSPC;
  return true;
}

}  // namespace

extern "C" {

void* malloc(std::size_t bytes) { return Fails(bytes) ? nullptr : __libc_malloc(bytes); }
void* calloc(std::size_t count, std::size_t bytes) {
  return Fails(count * bytes) ? nullptr : __libc_calloc(count, bytes);
}
void* realloc(void* old, std::size_t bytes) {
  return Fails(bytes) ? nullptr : __libc_realloc(old, bytes);
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  return Fails(bytes) ? nullptr : __libc_memalign(alignment, bytes);
}
int posix_memalign(void** place, std::size_t alignment, std::size_t bytes) {
  if (Fails(bytes)) return ENOMEM;
  *place = __libc_memalign(alignment, bytes);
  return *place == nullptr ? ENOMEM : 0;
}

int clock_gettime(clockid_t clock, timespec* time) {
  static auto* const next = Next<int(clockid_t, timespec*)>("clock_gettime");
  const int result = next(clock, time);
  if (clock == CLOCK_REALTIME) time->tv_sec += switches.load()->clock_offset_s;
  return result;
}

ssize_t write(int file, const void* bytes, std::size_t count) {
  static auto* const next = Next<ssize_t(int, const void*, std::size_t)>("write");
  return DiskIsFull(file) ? -1 : next(file, bytes, count);
}
ssize_t writev(int file, const iovec* parts, int count) {
  static auto* const next = Next<ssize_t(int, const iovec*, int)>("writev");
  return DiskIsFull(file) ? -1 : next(file, parts, count);
}

void* mmap(void* address, std::size_t bytes, int protection, int flags, int file, off_t offset) {
  static auto* const next = Next<void*(void*, std::size_t, int, int, int, off_t)>("mmap");
  void* const mapped = next(address, bytes, protection, flags, file, offset);
  if (file >= 0 && protection == PROT_READ && switches.load()->cut_mapped_files != 0) {
    std::array<char, 4096> path{};
    const std::string link = "/proc/self/fd/" + std::to_string(file);
    if (::readlink(link.c_str(), path.data(), path.size() - 1) > 0) {
      [[maybe_unused]] const int cut = ::truncate(path.data(), 0);
    }
  }
  return mapped;
}

/// What failing_engine.cc asks.
int64_t StepFault() { return switches.load()->step_fault; }

}  // extern "C"
