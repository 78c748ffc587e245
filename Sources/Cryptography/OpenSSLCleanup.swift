internal import COpenSSL

/// What becomes of OpenSSL's memory when the process ends.
public enum OpenSSLCleanup {
  /// Leaves it to the kernel.
  ///
  /// By default OpenSSL takes itself apart in `exit` (`OPENSSL_cleanup(3)`), which no other thread may live through that
  /// has used it and ends just then: it crashes, and a program that did all its work ends by SIGSEGV. The threads that
  /// run Swift's tasks end when they please, after some idle seconds, so nobody can wait for them.
  ///
  /// To be called before anything else uses OpenSSL; has no effect later.
  public static func leaveToKernel() { OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil) }
}
