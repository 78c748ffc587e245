extension Collection<UInt8> {
  /// Calls `body` with these bytes in one contiguous buffer, without a copy if they are already contiguous.
  ///
  /// Inlinable, like every generic function that is called for each command: an unspecialised call into another module
  /// takes as long as the cipher.
  @inlinable
  func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    if let result = try withContiguousStorageIfAvailable({ try body(UnsafeRawBufferPointer($0)) }) { return result }
    return try Array(self).withUnsafeBytes(body)
  }
}
