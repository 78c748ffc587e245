import Glibc
internal import Tessera
internal import TesseraDurableFiles

/// Reads text from standard input or another descriptor.
package enum StandardInput {
  /// - Throws: `Failure` of the kind `usage` if standard input is closed or a folder.
  package static func read(upToCount count: Int) throws -> String {
    try text(of: STDIN_FILENO, named: "Standard input", upToCount: count)
  }

  /// - Parameter name: that of the descriptor's file, for the error.
  package static func text(of descriptor: Int32, named name: String, upToCount limit: Int) throws -> String {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: min(limit, 65_536))
    while bytes.count < limit {
      let length = min(limit - bytes.count, buffer.count)
      let count = Glibc.read(descriptor, &buffer, length)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw Failure.unreadable(name, errno) }
      guard count > 0 else { break }
      bytes += buffer[..<count]
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
