extension Collection<UInt8> {
  /// Runs `body` on these bytes in one piece, without a copy where they are that already.
  ///
  /// Inlinable, as whatever takes bytes of any kind and is called for every command is: the generic forms, called from
  /// another module, would cost as much as the ciphers.
  @inlinable
  func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    if let result = try withContiguousStorageIfAvailable({ try body(UnsafeRawBufferPointer($0)) }) { return result }
    return try Array(self).withUnsafeBytes(body)
  }
}
