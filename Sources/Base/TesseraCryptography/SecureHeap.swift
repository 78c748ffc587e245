internal import CTesseraOpenSSL

/// OpenSSL's secure heap for private numbers: locked into memory, excluded from core dumps, wiped on release.
///
/// Once it exists, OpenSSL stores the scalars of elliptic-curve keys in it.
enum SecureHeap {
  /// Large enough for several thousand scalars; the smallest block fits a P-256 scalar.
  private static let size = 1 << 18
  private static let smallestPiece = 32

  /// Creates the heap once per process. If the memory cannot be locked (`RLIMIT_MEMLOCK`), it is still excluded from
  /// core dumps; if it cannot be allocated, OpenSSL uses the ordinary heap.
  private static let isReady = CRYPTO_secure_malloc_init(size, smallestPiece) > 0

  /// Call this before the first private number is created.
  static func prepare() { _ = isReady }
}
