/// The client of the bridge for web pages: an ES module and its types, as text in UTF-8.
///
/// The files are also a package for a bundler (`Files/package.json`).
public enum WebClient {
  /// `tessera.js`.
  public static let module = PackageResources.tessera_js
  /// `tessera.d.ts`, for TypeScript.
  public static let types = PackageResources.tessera_d_ts
}
