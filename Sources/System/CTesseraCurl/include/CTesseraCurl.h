// Requests over https by libcurl, which is loaded when it is needed: a program that makes no request does not pay for
// it. Swift cannot call functions of libcurl with variable arguments, so these stand before them. The constants of
// libcurl are in the .c file only, which needs <curl/curl.h> (libcurl4-openssl-dev) at build time.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
  TESSERA_CURL_LOADED = 0,
  /// There is no such library, or it is another one, or it uses another library than OpenSSL for TLS.
  TESSERA_CURL_MISSING,
  TESSERA_CURL_OUTDATED,
} tessera_curl_loading;

/// The name that all versions since 7.16 have in common.
///
/// It stands in C, because Swift keeps a text of at most 15 bytes in instructions, where the search of the packages'
/// build for the names of libraries does not find it.
const char *_Nonnull tessera_curl_name(void);

/// Loads the library and prepares it for this process, once. Must not be called by two threads at once, and must have
/// succeeded before any other function below is called.
///
/// `minimum` has the form 0x075500 for 7.85.0. `version` receives the version of the library if it is outdated.
tessera_curl_loading tessera_curl_load(const char *_Nonnull name, uint32_t minimum, uint32_t *_Nonnull version);

/// Connections that are kept for the next request. One thread at a time may use them.
typedef struct tessera_curl_session tessera_curl_session;

/// Returns NULL if memory or file descriptors are exhausted.
tessera_curl_session *_Nullable tessera_curl_session_make(void);

/// Closes the connections. May write to them: the calling thread must block SIGPIPE.
void tessera_curl_session_free(tessera_curl_session *_Nonnull session);

/// One request, or one connection without a request.
typedef struct tessera_curl_transfer tessera_curl_transfer;

/// A GET that neither follows redirects nor uses a proxy. Returns NULL if memory is exhausted.
tessera_curl_transfer *_Nullable tessera_curl_transfer_make(void);
void tessera_curl_transfer_free(tessera_curl_transfer *_Nonnull transfer);

// The following return false if memory is exhausted, or if libcurl refuses the value. All bytes are copied.

bool tessera_curl_set_address(tessera_curl_transfer *_Nonnull transfer, const char *_Nonnull address);

/// Sends the request through the tunnel of a proxy. `credentials` are a user and a password, both percent-encoded, with
/// a colon between them; NULL for none.
bool tessera_curl_set_proxy(
  tessera_curl_transfer *_Nonnull transfer, const char *_Nonnull address, const char *_Nullable credentials);

/// Accepts certificates of these roots, in PEM, besides those of the system's folder.
bool tessera_curl_set_roots(
  tessera_curl_transfer *_Nonnull transfer, const uint8_t *_Nullable bytes, size_t count);

/// Makes the request a POST. It gets a connection of its own: libcurl repeats a request whose kept connection turns out
/// to be closed, and a POST must not be sent twice.
bool tessera_curl_set_body(tessera_curl_transfer *_Nonnull transfer, const uint8_t *_Nullable bytes, size_t count);

/// A whole line, `Name: value`; `Name;` for an empty value.
bool tessera_curl_add_header(tessera_curl_transfer *_Nonnull transfer, const char *_Nonnull line);

typedef enum {
  /// The whole response was received.
  TESSERA_CURL_COMPLETE = 0,
  /// The whole response was received if its head says where it ends. If it does not, the body can be cut off: the
  /// connection has not been ended by the server.
  TESSERA_CURL_UNCONFIRMED,
  /// A function that received a piece returned false.
  TESSERA_CURL_STOPPED,
  TESSERA_CURL_CANCELLED,
  TESSERA_CURL_INVALID_ADDRESS,
  /// The host or the proxy is unknown or does not answer, or the proxy refuses.
  TESSERA_CURL_UNREACHABLE,
  TESSERA_CURL_CERTIFICATE_REFUSED,
  /// TLS failed for another reason than the certificate of the server, which another attempt would not change.
  TESSERA_CURL_NOT_SECURE,
  /// The bytes of `tessera_curl_set_roots` have no certificate.
  TESSERA_CURL_INVALID_ROOTS,
  /// The connection ended too early, or file descriptors are exhausted.
  TESSERA_CURL_INTERRUPTED,
  /// The response violates HTTP, or libcurl has no memory: libcurl 7.88 does not tell that from a long line.
  TESSERA_CURL_INVALID_RESPONSE,
} tessera_curl_outcome;

/// Receives a line of a response's head with its end, or a piece of the body. Returns false to end the request.
typedef bool (*tessera_curl_receive)(const uint8_t *_Nonnull bytes, size_t count, void *_Nonnull context);

/// Sends the request and receives the response. Must be called once for each transfer. The calling thread must block
/// SIGPIPE.
tessera_curl_outcome tessera_curl_run(
  tessera_curl_session *_Nonnull session, tessera_curl_transfer *_Nonnull transfer,
  tessera_curl_receive _Nonnull line, tessera_curl_receive _Nonnull body, void *_Nonnull context);

/// Why TLS failed, after `tessera_curl_run` or `tessera_curl_connect`: for `TESSERA_CURL_CERTIFICATE_REFUSED` a number X509_V_ERR_… of OpenSSL, at
/// most 1 if the certificate is for another name; for `TESSERA_CURL_NOT_SECURE` a number SSL_R_… of OpenSSL, from 1000 an
/// alert of the server.
long tessera_curl_problem(const tessera_curl_transfer *_Nonnull transfer);

/// Ends the request or `tessera_curl_connect` at once, or before it starts. May be called by any thread. `session` is that of the request.
void tessera_curl_cancel(tessera_curl_session *_Nonnull session, tessera_curl_transfer *_Nonnull transfer);

// A connection for another protocol than HTTP, over TCP or TLS. One thread at a time may use it.

/// Makes of a transfer a connection to the host of its address: with TLS, or without.
bool tessera_curl_set_connection(tessera_curl_transfer *_Nonnull transfer, bool is_secure);

/// Connects, through the proxy if there is one. `TESSERA_CURL_COMPLETE` and `TESSERA_CURL_UNCONFIRMED` mean success. The
/// calling thread must block SIGPIPE, here and below.
tessera_curl_outcome tessera_curl_connect(
  tessera_curl_session *_Nonnull session, tessera_curl_transfer *_Nonnull transfer);

/// Closes the connection, or what there is of it. Must be called once after `tessera_curl_connect`.
void tessera_curl_disconnect(tessera_curl_session *_Nonnull session, tessera_curl_transfer *_Nonnull transfer);

typedef enum {
  /// Some bytes; of a reception none, if the other side has ended the connection.
  TESSERA_CURL_MOVED = 0,
  /// Nothing at the moment.
  TESSERA_CURL_BLOCKED,
  TESSERA_CURL_BROKEN,
} tessera_curl_progress;

/// After `TESSERA_CURL_BLOCKED`, the next call must send the same bytes at the same address: OpenSSL has a part of them.
tessera_curl_progress tessera_curl_send_bytes(
  tessera_curl_transfer *_Nonnull transfer, const uint8_t *_Nonnull bytes, size_t size, size_t *_Nonnull count);
tessera_curl_progress tessera_curl_receive_bytes(
  tessera_curl_transfer *_Nonnull transfer, uint8_t *_Nonnull bytes, size_t space, size_t *_Nonnull count);

/// Waits until bytes can be received, or sent if that is wanted, or for the time. Returns false if that fails.
bool tessera_curl_wait(tessera_curl_transfer *_Nonnull transfer, bool wants_to_send, int milliseconds);

/// Ends the wait, or the next one. May be called by any thread.
void tessera_curl_wake(tessera_curl_transfer *_Nonnull transfer);
