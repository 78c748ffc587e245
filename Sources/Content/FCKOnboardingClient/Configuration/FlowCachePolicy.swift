/// Whether a flow comes from the server or from the cache (the dossier, section 3).
public enum FlowCachePolicy: String, Sendable, CaseIterable {
  /// A cached flow that is younger than 24 hours is used at once, and asked for again in the background. Otherwise as
  /// `networkFirst`.
  case cacheFirst
  /// The server is asked. If that fails, a cached flow of any age is used.
  case networkFirst
  /// The server is asked. The cache is neither read nor written.
  case networkOnly
}
