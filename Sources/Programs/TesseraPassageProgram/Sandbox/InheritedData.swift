import Glibc

/// Bytes that the next program of this process reads from a descriptor.
enum InheritedData {
  /// A file in memory has them. A pipe can hold as little as a page of a user who has many (pipe(7)), and writing more
  /// would wait for a reader that comes later.
  ///
  /// - Returns: The descriptor of the file, at its beginning, for `OpenFiles.keep`; nil if the system has no more
  ///   descriptors.
  static func descriptor(_ bytes: some Collection<UInt8>) -> Int32? {
    guard let file = memoryFile() else { return nil }
    var rest = Array(bytes)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      rest = rest.dropFirst(count)
    }
    guard rest.isEmpty, lseek(file, 0, SEEK_SET) == 0 else {
      close(file)
      return nil
    }
    return file
  }

  /// memfd_create(2), which Swift's module of the C library does not have.
  private static func memoryFile() -> Int32? {
    guard let symbol = dlsym(nil, "memfd_create") else { return nil }
    typealias Function = @convention(c) (UnsafePointer<CChar>, UInt32) -> Int32
    let create = unsafeBitCast(symbol, to: Function.self)
    let (closesAtNextProgram, isNoProgram): (UInt32, UInt32) = (1, 8)
    // A system may require that the file cannot be run. Linux before 6.3 does not know that flag.
    let file = create("passage", closesAtNextProgram | isNoProgram)
    if file >= 0 { return file }
    let older = errno == EINVAL ? create("passage", closesAtNextProgram) : -1
    return older >= 0 ? older : nil
  }
}
