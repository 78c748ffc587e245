import Glibc
package import Tessera
internal import TesseraDurableFiles

/// An input that is read once, sequentially. It may be larger than memory.
package struct InputFile {
  package static let pieceLength = 1 << 20

  /// `-` for standard input.
  package let path: String

  package init(path: String) { self.path = path }

  /// Calls `body` with consecutive pieces of the input. Shows the progress of a large input.
  ///
  /// - Throws: `Failure` of the kind `usage` if the input cannot be read.
  package func forEachPiece(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
    let descriptor = try opened()
    defer { if descriptor != STDIN_FILENO { close(descriptor) } }
    let line = ProgressLine()
    defer { line.clear() }
    let total = Self.size(of: descriptor)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceLength, alignment: 16)
    defer { buffer.deallocate() }
    var done = 0
    while true {
      try Self.awaitInput(descriptor)
      let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw unreadable() }
      guard count > 0 else { return }
      try body(UnsafeRawBufferPointer(rebasing: buffer.prefix(count)))
      done += count
      // Small inputs finish too fast for a progress line.
      if done >= 64 * Self.pieceLength { line.show(Self.progress(done, of: total)) }
    }
  }

  /// Reads the whole input.
  ///
  /// - Throws: `Failure` of the kind `usage` if it is longer than `limit` bytes.
  package func read(upTo limit: Int) throws -> [UInt8] {
    let tooLong = Failure(
      .usage, "The input \(path) is longer than \(limit) bytes.", remedy: "Check that it is the right file.")
    // The size of a regular file is known before it fills the memory.
    var status = stat()
    let isFile = path != "-" && stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    guard !isFile || status.st_size <= limit else { throw tooLong }
    var bytes: [UInt8] = []
    if isFile { bytes.reserveCapacity(Int(status.st_size)) }
    try forEachPiece { piece in
      bytes += piece
      guard bytes.count <= limit else { throw tooLong }
    }
    return bytes
  }

  /// Reads the whole input into memory that is erased after use.
  package func readSecret(upTo limit: Int) throws -> SecretBytes {
    let descriptor = try opened()
    defer { if descriptor != STDIN_FILENO { close(descriptor) } }
    guard let secret = SecretBytes(reading: descriptor, upTo: limit) else {
      var status = stat()
      guard fstat(descriptor, &status) != 0 || status.st_mode & S_IFMT != S_IFDIR else {
        throw Failure.unreadable(path, EISDIR)
      }
      throw Failure(.usage, "The input \(path) cannot be read as a key.", remedy: "Check that it is the right file.")
    }
    return secret
  }

  /// Opens the input and waits until it is readable or at its end. A blocking `open` of a pipe would wait for its
  /// writer, and Ctrl-C could not end that wait.
  private func opened() throws -> Int32 {
    let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else { throw unreadable() }
    do {
      try Self.awaitInput(descriptor)
    } catch {
      if descriptor != STDIN_FILENO { close(descriptor) }
      throw error
    }
    if descriptor != STDIN_FILENO { _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK) }
    return descriptor
  }

  /// Waits for input; Ctrl-C ends the wait.
  private static func awaitInput(_ descriptor: Int32) throws {
    var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    repeat { try Task.checkCancellation() } while poll(&ready, 1, 200) == 0
  }

  private static func progress(_ done: Int, of total: Int?) -> String {
    let megabytes = done >> 20
    guard let total, total > 0 else { return "\(megabytes) MiB" }
    return "\(megabytes) of \(total >> 20) MiB (\(min(100, done * 100 / total)) %)"
  }

  /// nil for pipes and devices.
  private static func size(of descriptor: Int32) -> Int? {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int(status.st_size)
  }

  private func unreadable() -> Failure {
    .unreadable(path == "-" ? "Standard input" : path, errno)
  }
}

/// Words of a command line that can only be the name of a file. What else a user types in its place (a machine readable
/// zone, a document number, a date, a PIN, a bridge request) has no such ending.
package enum FileWord {
  /// The endings of the files that the commands read and write, and of texts.
  private static let endings: Set<String> = [
    "avif", "bmp", "cer", "crl", "crt", "csv", "der", "dtc", "gif", "heic", "htm", "html", "iso", "j2k", "jp2", "jpeg",
    "jpg", "json", "key", "ldif", "log", "ml", "p12", "p7b", "p7c", "pdf", "pem", "pfx", "png", "tessera", "tif",
    "tiff", "trace", "txt", "webp", "zip",
  ]
  private static let signs = Set(" -_./+@,~".unicodeScalars)

  /// Whether the word ends like the name of a file, and has no sign of a zone or of a request.
  package static func isName(_ word: String) -> Bool {
    let parts = (word.split(separator: "/").last ?? "").split(separator: ".")
    guard parts.count > 1, let ending = parts.last, endings.contains(ending.lowercased()) else { return false }
    return word.unicodeScalars.allSatisfy {
      $0.properties.isAlphabetic || ("0"..."9").contains($0) || signs.contains($0)
    }
  }
}

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
