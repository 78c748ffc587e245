internal import CTesseraOpenSSL

/// OpenSSL's cleanup at the end of the process.
package enum OpenSSLCleanup {
  /// Disables the cleanup; the kernel frees the memory.
  ///
  /// By default OpenSSL releases its state in `exit` (`OPENSSL_cleanup(3)`). A thread that has used OpenSSL and ends at
  /// the same moment then crashes, so that a program ends with SIGSEGV after all its work is done. The threads of
  /// Swift's concurrency runtime end after some idle seconds, and a program cannot wait for them.
  ///
  /// Call this before the first use of OpenSSL. Later calls have no effect.
  package static func disable() { OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil) }
}
