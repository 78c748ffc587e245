#define _GNU_SOURCE
#include "CTesseraCurl.h"
#include <curl/curl.h>
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

// MARK: - The library

// Of OpenSSL's SSL_CTX_set_keylog_callback.
typedef void (*keylog_callback)(const void *connection, const char *line);
typedef void (*set_keylog_callback)(void *context, keylog_callback callback);

// Of OpenSSL's SSL_CTX_set_info_callback.
typedef void (*information_callback)(const void *connection, int event, int value);
typedef void (*set_info_callback)(void *context, information_callback callback);

// Of OpenSSL's SSL_CTX_set_options, and its SSL_OP_NO_RENEGOTIATION.
typedef uint64_t (*set_options)(void *context, uint64_t options);
static const uint64_t NO_RENEGOTIATION = 0x40000000;

// Of OpenSSL's OPENSSL_init_crypto.
typedef int (*init_crypto)(uint64_t options, const void *settings);
static const uint64_t NO_ATEXIT = 0x00080000;

// OpenSSL's SSL_CB_READ_ALERT, and the description of the alert close_notify in the low byte of its value.
enum { READ_ALERT = 0x4004, CLOSE_NOTIFY = 0 };

typedef struct {
  __typeof__(curl_global_init) *global_init;
  __typeof__(curl_version_info) *version_info;
  __typeof__(curl_slist_append) *slist_append;
  __typeof__(curl_slist_free_all) *slist_free_all;
  __typeof__(curl_easy_init) *easy_init;
  __typeof__(curl_easy_setopt) *easy_setopt;
  __typeof__(curl_easy_getinfo) *easy_getinfo;
  __typeof__(curl_easy_recv) *easy_recv;
  __typeof__(curl_easy_send) *easy_send;
  __typeof__(curl_easy_cleanup) *easy_cleanup;
  __typeof__(curl_multi_init) *multi_init;
  __typeof__(curl_multi_add_handle) *multi_add_handle;
  __typeof__(curl_multi_remove_handle) *multi_remove_handle;
  __typeof__(curl_multi_perform) *multi_perform;
  __typeof__(curl_multi_poll) *multi_poll;
  __typeof__(curl_multi_wakeup) *multi_wakeup;
  __typeof__(curl_multi_info_read) *multi_info_read;
  __typeof__(curl_multi_cleanup) *multi_cleanup;
  set_keylog_callback set_keylog_callback;
  set_info_callback set_info_callback;
  set_options set_options;
  init_crypto init_crypto;
} functions;

static functions library;
static bool is_loaded = false;

static bool find_functions(void *handle, functions *found) {
  struct {
    const char *name;
    void *target;
  } const names[] = {
    {"curl_global_init", &found->global_init},
    {"curl_slist_append", &found->slist_append},
    {"curl_slist_free_all", &found->slist_free_all},
    {"curl_easy_init", &found->easy_init},
    {"curl_easy_setopt", &found->easy_setopt},
    {"curl_easy_getinfo", &found->easy_getinfo},
    {"curl_easy_recv", &found->easy_recv},
    {"curl_easy_send", &found->easy_send},
    {"curl_easy_cleanup", &found->easy_cleanup},
    {"curl_multi_init", &found->multi_init},
    {"curl_multi_add_handle", &found->multi_add_handle},
    {"curl_multi_remove_handle", &found->multi_remove_handle},
    {"curl_multi_perform", &found->multi_perform},
    {"curl_multi_poll", &found->multi_poll},
    {"curl_multi_wakeup", &found->multi_wakeup},
    {"curl_multi_info_read", &found->multi_info_read},
    {"curl_multi_cleanup", &found->multi_cleanup},
    // Of libcurl's own library for TLS: the search includes what libcurl is linked with.
    {"SSL_CTX_set_keylog_callback", &found->set_keylog_callback},
    {"SSL_CTX_set_info_callback", &found->set_info_callback},
    {"SSL_CTX_set_options", &found->set_options},
    {"OPENSSL_init_crypto", &found->init_crypto},
  };
  for (size_t index = 0; index < sizeof names / sizeof *names; index++) {
    void *address = dlsym(handle, names[index].name);
    if (address == NULL) return false;
    memcpy(names[index].target, &address, sizeof address);
  }
  return true;
}

const char *tessera_curl_name(void) { return "libcurl.so.4"; }

tessera_curl_loading tessera_curl_load(const char *name, uint32_t minimum, uint32_t *version) {
  // A library that is not used stays loaded: the libraries below it may not expect to be unloaded.
  void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (handle == NULL) return TESSERA_CURL_MISSING;
  functions found;
  memset(&found, 0, sizeof found);
  void *address = dlsym(handle, "curl_version_info");
  if (address == NULL) return TESSERA_CURL_MISSING;
  memcpy(&found.version_info, &address, sizeof address);
  const curl_version_info_data *information = found.version_info(CURLVERSION_NOW);
  if (information == NULL) return TESSERA_CURL_MISSING;
  if (information->version_num < minimum) {
    *version = information->version_num;
    return TESSERA_CURL_OUTDATED;
  }
  // Another library for TLS would have other rules for keys, names and roots. Debian has a GnuTLS flavour of libcurl
  // under another name.
  if (information->ssl_version == NULL || strncmp(information->ssl_version, "OpenSSL/", 8) != 0)
    return TESSERA_CURL_MISSING;
  if (!find_functions(handle, &found)) return TESSERA_CURL_MISSING;
  if (is_loaded) return TESSERA_CURL_LOADED;

  // By default OpenSSL releases its state in exit(3), and a request that still runs on a thread then crashes.
  found.init_crypto(NO_ATEXIT, NULL);
  if (found.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) return TESSERA_CURL_MISSING;
  library = found;
  is_loaded = true;
  return TESSERA_CURL_LOADED;
}

// MARK: - Sessions

struct tessera_curl_session {
  CURLM *multi;
};

tessera_curl_session *tessera_curl_session_make(void) {
  tessera_curl_session *session = calloc(1, sizeof *session);
  if (session == NULL) return NULL;
  session->multi = library.multi_init();
  if (session->multi == NULL) {
    free(session);
    return NULL;
  }
  return session;
}

void tessera_curl_session_free(tessera_curl_session *session) {
  library.multi_cleanup(session->multi);
  free(session);
}

// MARK: - Requests

struct tessera_curl_transfer {
  CURL *easy;
  struct curl_slist *headers;
  bool has_proxy;
  tessera_curl_receive line;
  tessera_curl_receive body;
  void *context;
  /// Whether one of these functions returned false.
  bool is_stopped;
  /// Of the last socket(2) that failed.
  int socket_error;
  /// What libcurl says of its error.
  char message[CURL_ERROR_SIZE];
  /// See `tessera_curl_problem`.
  long problem;
  atomic_bool is_cancelled;
  /// What ends `tessera_curl_wait`; -1 without a connection of its own. That of the session could be missing, and other
  /// programs that this process starts inherit it.
  int wake;
};

// Whether the server has ended a connection of this thread since the response began. libcurl before 8.0 does not tell
// that from an end of TCP, which anybody on the way can cause. A thread runs one request at a time.
static _Thread_local bool is_ended_by_server;

static size_t receive(
  tessera_curl_transfer *transfer, tessera_curl_receive function, const char *bytes, size_t count
) {
  // A connection without a request has no function.
  if (count == 0 || function == NULL || function((const uint8_t *)bytes, count, transfer->context)) return count;
  transfer->is_stopped = true;
  return 0;
}

static size_t receive_line(char *bytes, size_t size, size_t count, void *transfer) {
  // Before a response, libcurl can have found out that kept connections are closed.
  is_ended_by_server = false;
  return receive(transfer, ((tessera_curl_transfer *)transfer)->line, bytes, size * count);
}

static size_t receive_body(char *bytes, size_t size, size_t count, void *transfer) {
  return receive(transfer, ((tessera_curl_transfer *)transfer)->body, bytes, size * count);
}

// libcurl's own sockets are inherited by child processes.
static curl_socket_t open_socket(void *context, curlsocktype purpose, struct curl_sockaddr *address) {
  (void)purpose;
  int descriptor = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
  if (descriptor >= 0) return descriptor;
  ((tessera_curl_transfer *)context)->socket_error = errno;
  return CURL_SOCKET_BAD;
}

static void note_alert(const void *connection, int event, int value) {
  (void)connection;
  if (event == READ_ALERT && (value & 0xFF) == CLOSE_NOTIFY) is_ended_by_server = true;
}

static CURLcode configure_tls(CURL *easy, void *tls_context, void *context) {
  (void)easy, (void)context;
  // Another user of libcurl in this process can have prepared it with SSLKEYLOGFILE set.
  library.set_keylog_callback(tls_context, NULL);
  library.set_info_callback(tls_context, note_alert);
  // In the middle of a renegotiation a connection could not send, although its socket can.
  library.set_options(tls_context, NO_RENEGOTIATION);
  return CURLE_OK;
}

#define SET(transfer, option, value) (library.easy_setopt((transfer)->easy, (option), (value)) == CURLE_OK)

// What all requests have in common. Cookies, .netrc, HSTS and compression are off unless they are asked for.
static bool prepare(tessera_curl_transfer *transfer) {
  return SET(transfer, CURLOPT_NOSIGNAL, 1L)
    && SET(transfer, CURLOPT_PROTOCOLS_STR, "https")
    && SET(transfer, CURLOPT_REDIR_PROTOCOLS_STR, "https")
    && SET(transfer, CURLOPT_FOLLOWLOCATION, 0L)
    && SET(transfer, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1)
    && SET(transfer, CURLOPT_HTTP09_ALLOWED, 0L)
    && SET(transfer, CURLOPT_PATH_AS_IS, 1L)
    && SET(transfer, CURLOPT_CONNECTTIMEOUT_MS, 10000L)
    && SET(transfer, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2)
    && SET(transfer, CURLOPT_SSL_VERIFYPEER, 1L)
    && SET(transfer, CURLOPT_SSL_VERIFYHOST, 2L)
    && SET(transfer, CURLOPT_SSL_CTX_FUNCTION, (curl_ssl_ctx_callback)configure_tls)
    // An empty name and this list hide the variables of the environment, which libcurl reads itself.
    && SET(transfer, CURLOPT_PROXY, "")
    && SET(transfer, CURLOPT_NOPROXY, "*")
    && SET(transfer, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L)
    && SET(transfer, CURLOPT_OPENSOCKETFUNCTION, (curl_opensocket_callback)open_socket)
    && SET(transfer, CURLOPT_OPENSOCKETDATA, (void *)transfer)
    && SET(transfer, CURLOPT_ERRORBUFFER, transfer->message)
    && SET(transfer, CURLOPT_HEADERFUNCTION, (curl_write_callback)receive_line)
    && SET(transfer, CURLOPT_HEADERDATA, (void *)transfer)
    && SET(transfer, CURLOPT_WRITEFUNCTION, (curl_write_callback)receive_body)
    && SET(transfer, CURLOPT_WRITEDATA, (void *)transfer);
}

tessera_curl_transfer *tessera_curl_transfer_make(void) {
  tessera_curl_transfer *transfer = calloc(1, sizeof *transfer);
  if (transfer == NULL) return NULL;
  atomic_init(&transfer->is_cancelled, false);
  transfer->wake = -1;
  transfer->easy = library.easy_init();
  if (transfer->easy == NULL || !prepare(transfer)) {
    tessera_curl_transfer_free(transfer);
    return NULL;
  }
  return transfer;
}

void tessera_curl_transfer_free(tessera_curl_transfer *transfer) {
  if (transfer->easy != NULL) library.easy_cleanup(transfer->easy);
  library.slist_free_all(transfer->headers);
  if (transfer->wake >= 0) close(transfer->wake);
  free(transfer);
}

bool tessera_curl_set_address(tessera_curl_transfer *transfer, const char *address) {
  return SET(transfer, CURLOPT_URL, address);
}

bool tessera_curl_set_proxy(
  tessera_curl_transfer *transfer, const char *address, const char *credentials
) {
  transfer->has_proxy = true;
  bool has_succeeded = SET(transfer, CURLOPT_PROXY, address)
    && SET(transfer, CURLOPT_NOPROXY, "")
    && SET(transfer, CURLOPT_PROXYTYPE, (long)CURLPROXY_HTTP)
    && SET(transfer, CURLOPT_HTTPPROXYTUNNEL, 1L)
    // The headers are for the server, not for the proxy.
    && SET(transfer, CURLOPT_HEADEROPT, (long)CURLHEADER_SEPARATE);
  if (!has_succeeded || credentials == NULL) return has_succeeded;
  // All versions decode this option. Those before 8.8 decode CURLOPT_PROXYUSERNAME and CURLOPT_PROXYPASSWORD, too.
  return SET(transfer, CURLOPT_PROXYAUTH, (long)CURLAUTH_BASIC)
    && SET(transfer, CURLOPT_PROXYUSERPWD, credentials);
}

// These bytes replace the system's file of roots. OpenSSL looks for what is missing in the system's folder.
bool tessera_curl_set_roots(tessera_curl_transfer *transfer, const uint8_t *bytes, size_t count) {
  struct curl_blob blob = {.data = (void *)bytes, .len = count, .flags = CURL_BLOB_COPY};
  return SET(transfer, CURLOPT_CAINFO_BLOB, &blob) && SET(transfer, CURLOPT_CAPATH, "/etc/ssl/certs");
}

bool tessera_curl_set_body(tessera_curl_transfer *transfer, const uint8_t *bytes, size_t count) {
  return SET(transfer, CURLOPT_POST, 1L)
    && SET(transfer, CURLOPT_FRESH_CONNECT, 1L)
    && SET(transfer, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)count)
    && SET(transfer, CURLOPT_COPYPOSTFIELDS, bytes == NULL ? "" : (const char *)bytes);
}

bool tessera_curl_add_header(tessera_curl_transfer *transfer, const char *line) {
  struct curl_slist *headers = library.slist_append(transfer->headers, line);
  if (headers == NULL) return false;
  transfer->headers = headers;
  return true;
}

// MARK: - The exchange

static bool is_exhausted(int error) {
  return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
}

/// Whether a new connection has no tunnel yet.
static bool is_before_tunnel(tessera_curl_transfer *transfer) {
  long status = 0, connections = 0;
  library.easy_getinfo(transfer->easy, CURLINFO_HTTP_CONNECTCODE, &status);
  library.easy_getinfo(transfer->easy, CURLINFO_NUM_CONNECTS, &connections);
  return transfer->has_proxy && connections > 0 && status / 100 != 2;
}

// Reasons of OpenSSL (<openssl/sslerr.h>). The second one is the alert of a server that misses a certificate of the
// client, which TLS 1.3 sends after the handshake.
enum { UNEXPECTED_EOF = 294, CERTIFICATE_REQUIRED = 1116 };

/// The reason of OpenSSL's library for TLS in a text of libcurl, which tells it nowhere else: "error:0A00010B:SSL
/// routines::wrong version number". 0 without one.
static long tls_reason(const char *message) {
  const char *number = strstr(message, "error:");
  unsigned long code = number == NULL ? 0 : strtoul(number + strlen("error:"), NULL, 16);
  return code >> 23 == 20 ? (long)(code & 0x7FFFFF) : 0;
}

/// The end of a connection on which TLS failed, or which ended.
static tessera_curl_outcome broken(tessera_curl_transfer *transfer, bool is_handshake) {
  long reason = tls_reason(transfer->message);
  if (is_handshake ? reason == 0 || reason == UNEXPECTED_EOF : reason != CERTIFICATE_REQUIRED)
    return TESSERA_CURL_INTERRUPTED;
  transfer->problem = reason;
  return TESSERA_CURL_NOT_SECURE;
}

static tessera_curl_outcome outcome(tessera_curl_transfer *transfer, CURLcode code) {
  if (transfer->is_stopped) return TESSERA_CURL_STOPPED;
  switch (code) {
  case CURLE_OK: return is_ended_by_server ? TESSERA_CURL_COMPLETE : TESSERA_CURL_UNCONFIRMED;
  case CURLE_URL_MALFORMAT: return TESSERA_CURL_INVALID_ADDRESS;
  case CURLE_PEER_FAILED_VERIFICATION:
  case CURLE_SSL_ISSUER_ERROR:
    library.easy_getinfo(transfer->easy, CURLINFO_SSL_VERIFYRESULT, &transfer->problem);
    return TESSERA_CURL_CERTIFICATE_REFUSED;
  case CURLE_SSL_CACERT_BADFILE: return TESSERA_CURL_INVALID_ROOTS;
  default: break;
  }
  if (is_exhausted(transfer->socket_error)) return TESSERA_CURL_INTERRUPTED;
  if (is_before_tunnel(transfer)) return TESSERA_CURL_UNREACHABLE;
  switch (code) {
  case CURLE_COULDNT_RESOLVE_HOST:
  case CURLE_COULDNT_RESOLVE_PROXY:
  case CURLE_COULDNT_CONNECT:
  case CURLE_PROXY:
  // The only limit that libcurl knows is that of the connection.
  case CURLE_OPERATION_TIMEDOUT: return TESSERA_CURL_UNREACHABLE;
  case CURLE_SSL_CONNECT_ERROR: return broken(transfer, true);
  case CURLE_SEND_ERROR:
  case CURLE_RECV_ERROR: return broken(transfer, false);
  case CURLE_SSL_SHUTDOWN_FAILED:
  case CURLE_GOT_NOTHING:
  case CURLE_PARTIAL_FILE: return TESSERA_CURL_INTERRUPTED;
  default: return TESSERA_CURL_INVALID_RESPONSE;
  }
}

static CURLcode result(tessera_curl_session *session, tessera_curl_transfer *transfer) {
  CURLcode code = CURLE_RECV_ERROR;
  int rest = 0;
  CURLMsg *message;
  while ((message = library.multi_info_read(session->multi, &rest)) != NULL) {
    if (message->msg == CURLMSG_DONE && message->easy_handle == transfer->easy) code = message->data.result;
  }
  return code;
}

static tessera_curl_outcome drive(tessera_curl_session *session, tessera_curl_transfer *transfer) {
  while (true) {
    if (atomic_load(&transfer->is_cancelled)) return TESSERA_CURL_CANCELLED;
    int running = 0;
    if (library.multi_perform(session->multi, &running) != CURLM_OK) return TESSERA_CURL_INTERRUPTED;
    if (running == 0) return outcome(transfer, result(session, transfer));
    // A cancellation ends the wait. Where libcurl had no descriptor left for that, it is seen after one second.
    if (library.multi_poll(session->multi, NULL, 0, 1000, NULL) != CURLM_OK) return TESSERA_CURL_INTERRUPTED;
  }
}

tessera_curl_outcome tessera_curl_run(
  tessera_curl_session *session, tessera_curl_transfer *transfer, tessera_curl_receive line,
  tessera_curl_receive body, void *context
) {
  transfer->line = line;
  transfer->body = body;
  transfer->context = context;
  if (!SET(transfer, CURLOPT_HTTPHEADER, transfer->headers)) return TESSERA_CURL_INTERRUPTED;
  if (library.multi_add_handle(session->multi, transfer->easy) != CURLM_OK) return TESSERA_CURL_INTERRUPTED;
  tessera_curl_outcome end = drive(session, transfer);
  // May wait for the end of a search for the host's address.
  library.multi_remove_handle(session->multi, transfer->easy);
  return end;
}

long tessera_curl_problem(const tessera_curl_transfer *transfer) { return transfer->problem; }

void tessera_curl_cancel(tessera_curl_session *session, tessera_curl_transfer *transfer) {
  atomic_store(&transfer->is_cancelled, true);
  library.multi_wakeup(session->multi);
}

// MARK: - Connections without a request

bool tessera_curl_set_connection(tessera_curl_transfer *transfer, bool is_secure) {
  transfer->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  return transfer->wake >= 0
    && SET(transfer, CURLOPT_CONNECT_ONLY, 1L)
    && SET(transfer, CURLOPT_PROTOCOLS_STR, is_secure ? "https" : "http")
    // libcurl's own limit, 300 s. The caller has a shorter one.
    && SET(transfer, CURLOPT_CONNECTTIMEOUT_MS, 0L);
}

tessera_curl_outcome tessera_curl_connect(tessera_curl_session *session, tessera_curl_transfer *transfer) {
  if (library.multi_add_handle(session->multi, transfer->easy) != CURLM_OK) return TESSERA_CURL_INTERRUPTED;
  return drive(session, transfer);
}

void tessera_curl_disconnect(tessera_curl_session *session, tessera_curl_transfer *transfer) {
  library.multi_remove_handle(session->multi, transfer->easy);
}

static tessera_curl_progress progress(CURLcode code) {
  switch (code) {
  case CURLE_OK: return TESSERA_CURL_MOVED;
  case CURLE_AGAIN: return TESSERA_CURL_BLOCKED;
  default: return TESSERA_CURL_BROKEN;
  }
}

tessera_curl_progress tessera_curl_receive_bytes(
  tessera_curl_transfer *transfer, uint8_t *bytes, size_t space, size_t *count
) {
  return progress(library.easy_recv(transfer->easy, bytes, space, count));
}

tessera_curl_progress tessera_curl_send_bytes(
  tessera_curl_transfer *transfer, const uint8_t *bytes, size_t size, size_t *count
) {
  return progress(library.easy_send(transfer->easy, bytes, size, count));
}

bool tessera_curl_wait(tessera_curl_transfer *transfer, bool wants_to_send, int milliseconds) {
  curl_socket_t descriptor = CURL_SOCKET_BAD;
  library.easy_getinfo(transfer->easy, CURLINFO_ACTIVESOCKET, &descriptor);
  if (descriptor == CURL_SOCKET_BAD) return false;
  struct pollfd waited[] = {
    {.fd = descriptor, .events = (short)(POLLIN | (wants_to_send ? POLLOUT : 0))},
    {.fd = transfer->wake, .events = POLLIN},
  };
  if (poll(waited, 2, milliseconds) < 0) return errno == EINTR;
  uint64_t count;
  if (waited[1].revents != 0 && read(transfer->wake, &count, sizeof count) < 0) return errno == EAGAIN;
  return true;
}

void tessera_curl_wake(tessera_curl_transfer *transfer) {
  uint64_t one = 1;
  // A counter that is full wakes, too.
  ssize_t written = write(transfer->wake, &one, sizeof one);
  (void)written;
}
