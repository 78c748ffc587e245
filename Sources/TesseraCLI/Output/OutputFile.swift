import Foundation
import Tessera

/// A result that goes to standard output or into a file, which is there wholly or not at all.
final class OutputFile {
  private let path: String?
  private let temporary: String?
  private let descriptor: Int32
  private var isFinished = false

  /// - Parameters:
  ///   - path: nil or `-` for standard output.
  ///   - mode: of a new file, before the user's mask.
  init(_ path: String?, mode: mode_t = 0o666) throws {
    guard let path, path != "-" else {
      self.path = nil
      temporary = nil
      descriptor = STDOUT_FILENO
      return
    }
    var status = stat()
    let isThere = stat(path, &status) == 0
    if isThere && status.st_mode & S_IFMT != S_IFREG || path.hasPrefix("/dev/") || path.hasPrefix("/proc/") {
      self.path = path
      temporary = nil  // a pipe or a device is written to as it is
      descriptor = open(path, O_WRONLY | O_CLOEXEC)
    } else {
      // A link stays one: the file that it leads to is what gives way.
      let target = isThere ? URL(fileURLWithPath: path).resolvingSymlinksInPath().path : path
      self.path = target
      let name = target + ".\(UUID().uuidString.prefix(8)).tmp"
      temporary = name
      descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
      // What was closed to others stays so.
      if isThere { fchmod(descriptor, status.st_mode & mode) }
    }
    guard descriptor >= 0 else { throw PrivateFile.unwritable(path) }
  }

  deinit {
    if descriptor != STDOUT_FILENO { close(descriptor) }
    if !isFinished, let temporary { unlink(temporary) }
  }

  func write(_ bytes: [UInt8]) throws { try bytes.withUnsafeBytes { try write($0) } }

  func write(_ bytes: UnsafeRawBufferPointer) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw PrivateFile.unwritable(path ?? "Standard output") }
      rest = rest.dropFirst(count)
    }
  }

  /// Puts the file in its place.
  func finish() throws {
    if let path, let temporary {
      guard fsync(descriptor) == 0, rename(temporary, path) == 0 else { throw PrivateFile.unwritable(path) }
    }
    isFinished = true
  }

  /// - Throws: `Failure` of kind `usage` where bytes would go to a person's terminal.
  static func checkNoTerminal(_ path: String?, remedy: String) throws {
    guard path == nil, isatty(STDOUT_FILENO) == 1 else { return }
    throw Failure(.usage, "This is binary and would go to the terminal.", remedy: remedy)
  }
}
