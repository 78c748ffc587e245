// A virtual V4L2 camera, loaded into a program by LD_PRELOAD: it answers the C library's calls for one node, which need
// not exist. `VirtualCamera` in CameraTestSupport compiles and configures it. Environment:
//
//   VIRTUAL_CAMERA_NODE    the path of the node: /dev/video7
//   VIRTUAL_CAMERA_FRAMES  a file with what the camera shows, in the format of `struct header`. It is read again for each
//                          frame, so that a test can replace it. While there is a file with the same name and the suffix
//                          ".unplugged", the camera is unplugged. ".lock" is the driver's lock: one program at a time.
//                          ".taken" grows by a byte with each frame that the program takes.
//   VIRTUAL_CAMERA_FAULT   CALL:ERRNO[:FIRST[:COUNT]]: from its FIRST call (1) on, CALL fails COUNT times (without limit)
//                          With the number 0 the call writes a file with the suffix ".hangs" and waits for ".goes-on".
//
// The device is a timerfd, which `poll` reports as readable once per frame; the buffers are a memfd with a name that a
// test finds in /proc/self/maps.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/videodev2.h>
// <poll.h> says that `poll` only writes its descriptors, so that the compiler would warn below.
struct pollfd { int fd; short events, revents; };
typedef unsigned long nfds_t;
enum { POLLERR = 8, POLLHUP = 16 };
int poll(struct pollfd *descriptors, nfds_t count, int timeout);
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/timerfd.h>
#include <unistd.h>

// Little-endian. Then `count` frames: 4 bytes of length, 4 bytes of `v4l2_buffer.flags`, the bytes.
struct header {
  uint32_t pixel_format, width, height, bytes_per_line, size_image, rate, buffers, count;
};

enum { MOST_BUFFERS = 32 };

static struct {
  pthread_mutex_t lock;
  int device, memory, owner;
  struct header header;
  int streaming, buffers, next_frame;
  // The queue of the driver, in order.
  int queue[MOST_BUFFERS], queued;
  uint32_t sequence;
} camera = {.lock = PTHREAD_MUTEX_INITIALIZER, .device = -1, .memory = -1, .owner = -1};

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static const char *node(void) { return getenv("VIRTUAL_CAMERA_NODE"); }

static int is_node(const char *path) { return path && node() && strcmp(path, node()) == 0; }

static const char *frames(const char *suffix, char *buffer, size_t size) {
  const char *path = getenv("VIRTUAL_CAMERA_FRAMES");
  snprintf(buffer, size, "%s%s", path ? path : "/proc/nonexistent", suffix);
  return buffer;
}

static int is_unplugged(void) {
  char path[4096];
  return access(frames(".unplugged", path, sizeof path), F_OK) == 0;
}

// Whether this call of `name` must fail; sets `errno`. Returns late from a call that must hang.
static int fails(const char *name) {
  static atomic_int calls;
  const char *fault = getenv("VIRTUAL_CAMERA_FAULT");
  size_t length = strlen(name);
  if (!fault || strncmp(fault, name, length) != 0 || fault[length] != ':') return 0;
  int code = 0, first = 1, count = INT32_MAX;
  sscanf(fault + length, ":%d:%d:%d", &code, &first, &count);
  int call = ++calls;
  if (call < first || call - first >= count) return 0;
  if (code == 0) {
    char path[4096];
    int file = REAL(open)(frames(".hangs", path, sizeof path), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (file >= 0) REAL(close)(file);
    while (access(frames(".goes-on", path, sizeof path), F_OK) != 0) usleep(10000);
    return 0;
  }
  errno = code;
  return 1;
}

static int read_header(int file, struct header *header) {
  return pread(file, header, sizeof *header, 0) == sizeof *header ? 0 : -1;
}

static int open_node(void) {
  if (fails("open")) return -1;
  char path[4096];
  if (is_unplugged()) { errno = ENOENT; return -1; }
  int file = REAL(open)(frames("", path, sizeof path), O_RDONLY | O_CLOEXEC);
  if (file < 0) return -1;
  struct header header;
  int status = read_header(file, &header);
  REAL(close)(file);
  if (status != 0) { errno = EIO; return -1; }
  int device = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
  pthread_mutex_lock(&camera.lock);
  camera.header = header;
  camera.device = device;
  camera.streaming = camera.buffers = camera.queued = camera.next_frame = 0;
  pthread_mutex_unlock(&camera.lock);
  return device;
}

// The driver lets one open file stream at a time.
static int acquire(void) {
  if (camera.owner >= 0) return 0;
  char path[4096];
  int file = REAL(open)(frames(".lock", path, sizeof path), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) return -1;
  // A test takes the lock for a moment to ask whether the camera is in use.
  for (int tries = 0; flock(file, LOCK_EX | LOCK_NB) != 0; ++tries) {
    if (tries < 10) { usleep(5000); continue; }
    REAL(close)(file);
    errno = EBUSY;
    return -1;
  }
  camera.owner = file;
  return 0;
}

static size_t page_rounded(uint32_t size) { return ((size_t)size + 4095) & ~(size_t)4095; }

static void release_buffers(void) {
  if (camera.memory >= 0) REAL(close)(camera.memory);
  camera.memory = -1;
  camera.buffers = camera.queued = 0;
}

static int request_buffers(struct v4l2_requestbuffers *request) {
  if (acquire() != 0) return -1;
  release_buffers();
  if (request->count > camera.header.buffers) request->count = camera.header.buffers;
  if (request->count > MOST_BUFFERS) request->count = MOST_BUFFERS;
  camera.buffers = (int)request->count;
  if (camera.buffers == 0) return 0;
  camera.memory = memfd_create("tessera-virtual-camera", MFD_CLOEXEC);
  return ftruncate(camera.memory, (off_t)(page_rounded(camera.header.size_image) * request->count));
}

static int set_streaming(int on) {
  if (on && acquire() != 0) return -1;
  camera.streaming = on;
  if (!on) camera.queued = 0;
  uint32_t rate = camera.header.rate ? camera.header.rate : 30;
  struct itimerspec time = {0};
  if (on) time.it_interval.tv_nsec = time.it_value.tv_nsec = rate > 1 ? 1000000000 / rate : 999999999;
  return timerfd_settime(camera.device, 0, &time, NULL);
}

static int fill(struct v4l2_buffer *buffer) {
  if (!camera.streaming) { errno = EINVAL; return -1; }
  uint64_t ticks;
  if (camera.queued == 0 || read(camera.device, &ticks, sizeof ticks) != sizeof ticks) { errno = EAGAIN; return -1; }
  char path[4096];
  int file = REAL(open)(frames("", path, sizeof path), O_RDONLY | O_CLOEXEC);
  struct header header;
  if (file < 0 || read_header(file, &header) != 0 || header.count == 0) {
    if (file >= 0) REAL(close)(file);
    errno = EAGAIN;
    return -1;
  }
  int number = camera.next_frame++ % (int)header.count;
  off_t place = sizeof header;
  uint32_t frame[2] = {0, 0};
  for (int index = 0; index <= number; index++) {
    if (index > 0) place += (off_t)sizeof frame + frame[0];
    if (pread(file, frame, sizeof frame, place) != sizeof frame) frame[0] = 0;
  }
  uint32_t length = frame[0] < camera.header.size_image ? frame[0] : camera.header.size_image;
  char *bytes = malloc(length + 1);
  ssize_t count = pread(file, bytes, length, place + (off_t)sizeof frame);
  int index = camera.queue[0];
  memmove(camera.queue, camera.queue + 1, sizeof *camera.queue * (size_t)(--camera.queued));
  if (count > 0) (void)!pwrite(camera.memory, bytes, (size_t)count, (off_t)(page_rounded(camera.header.size_image) * (size_t)index));
  free(bytes);
  REAL(close)(file);
  buffer->index = (uint32_t)index;
  buffer->bytesused = count > 0 ? (uint32_t)count : 0;
  buffer->flags = frame[1];
  buffer->length = camera.header.size_image;
  buffer->sequence = camera.sequence++;
  int taken = REAL(open)(frames(".taken", path, sizeof path), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (taken >= 0) {
    (void)!write(taken, "", 1);
    REAL(close)(taken);
  }
  return 0;
}

static int queue(struct v4l2_buffer *buffer) {
  if (buffer->index >= (uint32_t)camera.buffers || camera.queued >= MOST_BUFFERS) { errno = EINVAL; return -1; }
  for (int place = 0; place < camera.queued; place++) {
    // A buffer that the driver has already.
    if (camera.queue[place] == (int)buffer->index) { errno = EINVAL; return -1; }
  }
  camera.queue[camera.queued++] = (int)buffer->index;
  return 0;
}

static const char *call_name(unsigned long request) {
  switch (request) {
#define NAME(request) case request: return #request
    NAME(VIDIOC_QUERYCAP); NAME(VIDIOC_ENUM_FMT); NAME(VIDIOC_ENUM_FRAMESIZES); NAME(VIDIOC_ENUM_FRAMEINTERVALS);
    NAME(VIDIOC_G_FMT); NAME(VIDIOC_S_FMT); NAME(VIDIOC_S_PARM); NAME(VIDIOC_REQBUFS); NAME(VIDIOC_QUERYBUF); NAME(VIDIOC_QBUF);
    NAME(VIDIOC_DQBUF); NAME(VIDIOC_STREAMON); NAME(VIDIOC_STREAMOFF);
    default: return "";
  }
}

static int answer(unsigned long request, void *argument) {
  if (fails(call_name(request))) return -1;
  if (is_unplugged()) { errno = ENODEV; return -1; }
  switch (request) {
    case VIDIOC_QUERYCAP: {
      struct v4l2_capability *capability = argument;
      memset(capability, 0, sizeof *capability);
      strcpy((char *)capability->driver, "virtual");
      strcpy((char *)capability->card, "Virtual camera");
      strcpy((char *)capability->bus_info, "preload:virtual-camera");
      capability->device_caps = V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_STREAMING;
      capability->capabilities = capability->device_caps | V4L2_CAP_DEVICE_CAPS;
      return 0;
    }
    case VIDIOC_ENUM_FMT: {
      struct v4l2_fmtdesc *format = argument;
      if (format->index > 0) { errno = EINVAL; return -1; }
      format->pixelformat = camera.header.pixel_format;
      return 0;
    }
    case VIDIOC_ENUM_FRAMESIZES: {
      struct v4l2_frmsizeenum *size = argument;
      if (size->index > 0) { errno = EINVAL; return -1; }
      size->type = V4L2_FRMSIZE_TYPE_DISCRETE;
      size->discrete.width = camera.header.width;
      size->discrete.height = camera.header.height;
      return 0;
    }
    case VIDIOC_ENUM_FRAMEINTERVALS: {
      struct v4l2_frmivalenum *interval = argument;
      if (interval->index > 0) { errno = EINVAL; return -1; }
      interval->type = V4L2_FRMIVAL_TYPE_DISCRETE;
      interval->discrete.numerator = 1;
      interval->discrete.denominator = camera.header.rate ? camera.header.rate : 30;
      return 0;
    }
    case VIDIOC_G_FMT:
    case VIDIOC_S_FMT: {
      struct v4l2_format *format = argument;
      if (request == VIDIOC_S_FMT && acquire() != 0) return -1;
      format->fmt.pix.pixelformat = camera.header.pixel_format;
      format->fmt.pix.width = camera.header.width;
      format->fmt.pix.height = camera.header.height;
      format->fmt.pix.bytesperline = camera.header.bytes_per_line;
      format->fmt.pix.sizeimage = camera.header.size_image;
      format->fmt.pix.field = V4L2_FIELD_NONE;
      return 0;
    }
    case VIDIOC_S_PARM: return 0;
    case VIDIOC_REQBUFS: return request_buffers(argument);
    case VIDIOC_QUERYBUF: {
      struct v4l2_buffer *buffer = argument;
      if (buffer->index >= (uint32_t)camera.buffers) { errno = EINVAL; return -1; }
      buffer->length = camera.header.size_image;
      buffer->m.offset = (uint32_t)(page_rounded(camera.header.size_image) * buffer->index);
      return 0;
    }
    case VIDIOC_QBUF: return queue(argument);
    case VIDIOC_DQBUF: return fill(argument);
    case VIDIOC_STREAMON: return set_streaming(1);
    case VIDIOC_STREAMOFF: return set_streaming(0);
    default: errno = ENOTTY; return -1;
  }
}

// MARK: the C library's functions

static mode_t mode_argument(int flags, va_list arguments) {
  return flags & (O_CREAT | __O_TMPFILE) ? (mode_t)va_arg(arguments, int) : 0;
}

#define OPEN(name)                                           \
  int name(const char *path, int flags, ...) {               \
    va_list arguments;                                       \
    va_start(arguments, flags);                              \
    mode_t mode = mode_argument(flags, arguments);           \
    va_end(arguments);                                       \
    return is_node(path) ? open_node() : REAL(name)(path, flags, mode); \
  }
OPEN(open)
OPEN(open64)

int stat(const char *restrict path, struct stat *restrict status) {
  if (!is_node(path)) return REAL(stat)(path, status);
  if (fails("stat")) return -1;
  if (is_unplugged()) { errno = ENOENT; return -1; }
  memset(status, 0, sizeof *status);
  status->st_mode = S_IFCHR | 0660;
  status->st_rdev = makedev(81, 0);
  return 0;
}

int access(const char *path, int mode) {
  if (!is_node(path)) return REAL(access)(path, mode);
  if (is_unplugged()) { errno = ENOENT; return -1; }
  return 0;
}

int ioctl(int descriptor, unsigned long request, ...) {
  va_list arguments;
  va_start(arguments, request);
  void *argument = va_arg(arguments, void *);
  va_end(arguments);
  if (descriptor < 0 || descriptor != camera.device) return REAL(ioctl)(descriptor, request, argument);
  pthread_mutex_lock(&camera.lock);
  int result = answer(request, argument);
  int code = errno;
  pthread_mutex_unlock(&camera.lock);
  errno = code;
  return result;
}

#define MMAP(name, offset_type)                                                                              \
  void *name(void *address, size_t length, int protection, int flags, int descriptor, offset_type offset) {   \
    if (descriptor >= 0 && descriptor == camera.device) {                                                     \
      if (fails("mmap")) return MAP_FAILED;                                                                   \
      descriptor = camera.memory;                                                                             \
    }                                                                                                         \
    return REAL(name)(address, length, protection, flags, descriptor, offset);                                \
  }
MMAP(mmap, off_t)
MMAP(mmap64, off64_t)

int poll(struct pollfd *descriptors, nfds_t count, int timeout) {
  struct pollfd *mine = NULL;
  for (nfds_t index = 0; index < count; index++) {
    if (camera.device >= 0 && descriptors[index].fd == camera.device) mine = &descriptors[index];
  }
  if (!mine) return REAL(poll)(descriptors, count, timeout);
  if (fails("poll")) return -1;
  // An unplugged device wakes up those who wait for it.
  for (int waited = 0;; waited += 10) {
    int slice = timeout < 0 || timeout - waited > 10 ? 10 : timeout > waited ? timeout - waited : 0;
    int result = REAL(poll)(descriptors, count, slice);
    if (is_unplugged()) {
      int was_ready = mine->revents != 0;
      mine->revents = POLLERR | POLLHUP;
      return result < 0 ? 1 : was_ready ? result : result + 1;
    }
    if (result != 0 || (timeout >= 0 && waited >= timeout)) return result;
  }
}

int close(int descriptor) {
  if (descriptor >= 0 && descriptor == camera.device) {
    pthread_mutex_lock(&camera.lock);
    camera.device = -1;
    release_buffers();
    if (camera.owner >= 0) REAL(close)(camera.owner);
    camera.owner = -1;
    pthread_mutex_unlock(&camera.lock);
  }
  return REAL(close)(descriptor);
}
