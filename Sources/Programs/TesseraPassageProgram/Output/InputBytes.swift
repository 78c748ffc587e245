import Glibc

enum InputBytes {
  /// The text of a file of `/proc`, whose size is unknown before it is read; empty if there is none.
  static func text(_ path: String) -> String {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return "" }
    defer { close(descriptor) }
    return read(descriptor, upTo: 4 << 20).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }

  /// Reads a file or a pipe to its end.
  ///
  /// - Returns: nil if it cannot be read, or has more bytes than the limit.
  static func read(_ descriptor: Int32, upTo limit: Int) -> [UInt8]? {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0, bytes.count + count <= limit else { return nil }
      guard count > 0 else { return bytes }
      bytes += buffer.prefix(count)
    }
  }
}

enum StandardStreams {
  /// Opens those that the program was started without. Their numbers would else become those of other files, such as
  /// pipes for programs that have streams of their own.
  ///
  /// Writing to one still fails: a result that nobody gets is not a success.
  static func open() {
    var descriptor: Int32
    repeat { descriptor = Glibc.open("/dev/null", O_RDONLY) } while (0...STDERR_FILENO).contains(descriptor)
    if descriptor > STDERR_FILENO { close(descriptor) }
  }
}
