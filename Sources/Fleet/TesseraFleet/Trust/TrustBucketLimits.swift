/// The limits of what an inspector accepts from the bucket. Whoever can write to it, or a server, may be hostile.
package struct TrustBucketLimits: Sendable {
  /// The bytes of a part. Every part of a file but the last has this size; it is a fact of the form, version 1.
  static let partSize = 512 << 10
  /// The bytes of the manifest.
  package var manifestSize = 768 << 10
  /// The number of files.
  package var fileCount = 1000
  /// The bytes of a file's name.
  package var nameSize = 256
  /// The bytes of all files. The whole PKD has some 100 MB.
  package var totalSize = 256 << 20
  /// The number of roots.
  package var rootCount = 128
  /// The bytes of a root's certificate.
  package var rootSize = 16 << 10
  /// The lists that an inspector remembers: one for each country, and one for each issuer of revocation lists. Some
  /// hundreds in fact.
  package var rememberedCount = 4096

  package init() {}
}
