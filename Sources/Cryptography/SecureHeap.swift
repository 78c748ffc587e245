internal import COpenSSL

/// OpenSSL's heap for private numbers: locked into memory, left out of core dumps, wiped on release.
///
/// OpenSSL puts the scalars of elliptic-curve keys there by itself once it exists.
enum SecureHeap {
  /// Room for some thousand scalars; the smallest piece is one of P-256.
  private static let size = 1 << 18
  private static let smallestPiece = 32

  /// Makes the heap once per process. Where the memory cannot be locked (`RLIMIT_MEMLOCK`) it still is left out of
  /// core dumps; where it cannot be had at all OpenSSL uses the ordinary heap.
  private static let isReady = CRYPTO_secure_malloc_init(size, smallestPiece) > 0

  /// To be called before the first private number is made.
  static func prepare() { _ = isReady }
}
