/// A file of certificates or lists, as its authority published it.
package struct TrustFileBytes: Sendable, Equatable {
  /// Without its folder, or the address.
  package let name: String
  package let bytes: [UInt8]

  package init(name: String, bytes: [UInt8]) {
    self.name = name
    self.bytes = bytes
  }
}
