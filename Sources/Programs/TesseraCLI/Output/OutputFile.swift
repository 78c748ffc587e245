import FoundationEssentials
import Glibc
import Tessera
import TesseraCommandLine
import TesseraDurableFiles

/// The output of a command: standard output, or a file that is created atomically.
final class OutputFile {
  private let path: String?
  private let temporary: String?
  private let descriptor: Int32
  private var isFinished = false

  /// - Parameters:
  ///   - path: nil or `-` for standard output.
  ///   - mode: the mode of a new file, before the umask.
  init(_ path: String?, mode: mode_t = 0o666) throws {
    guard let path, path != "-" else {
      self.path = nil
      temporary = nil
      descriptor = STDOUT_FILENO
      return
    }
    self.path = path
    if PrivateFile.isStream(path) {
      temporary = nil  // a pipe or a device is not replaced
      descriptor = open(path, O_WRONLY | O_CLOEXEC)
      guard descriptor >= 0 else { throw Failure.unwritable(path, errno) }
    } else {
      // What a rename would find out in the end.
      guard !PrivateFile.isFolder(path) else { throw Failure.unwritable(path, EISDIR) }
      // A link is replaced; the file that it leads to is another one's.
      let name = path + ".\(UUID().uuidString.prefix(8)).tmp"
      temporary = name
      descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
      guard descriptor >= 0 else { throw Failure.unwritable(path, errno) }
      // Keeps the permissions of the file that is replaced.
      var status = stat()
      if lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG { fchmod(descriptor, status.st_mode & mode) }
    }
  }

  deinit {
    if descriptor != STDOUT_FILENO { close(descriptor) }
    if !isFinished, let temporary { unlink(temporary) }
  }

  func write(_ bytes: [UInt8]) throws { try bytes.withUnsafeBytes { try write($0) } }

  func write(_ bytes: UnsafeRawBufferPointer) throws {
    let code = OutputDescriptor.error(ofWriting: bytes, to: descriptor)
    guard code == 0 else { throw path.map { Failure.unwritable($0, code) } ?? StandardOutput.failure(code) }
  }

  /// Moves the complete file to its path.
  ///
  /// - Parameter format: the format of the file; nil if each name is right.
  func finish(_ format: WrittenFormat? = nil) throws {
    if let path, let temporary {
      guard fsync(descriptor) == 0, rename(temporary, path) == 0 else { throw Failure.unwritable(path, errno) }
      Self.tell(path, format)
    }
    isFinished = true
  }

  /// Says on a terminal that a file or a folder was written, and everywhere that its name promises another format. A
  /// pipe or a device is nothing that stays.
  static func tell(_ path: String, _ format: WrittenFormat? = nil) {
    guard path != "-", !PrivateFile.isStream(path) else { return }
    if Terminal.isErrorTerminal { Note.writeLine("Wrote \(Terminal.printable(path))") }
    format?.remark(on: path)
  }

  /// - Throws: `Failure` of the kind `usage` if binary data would be written to a terminal.
  static func checkNoTerminal(_ path: String?, remedy: String) throws {
    guard path == nil, isatty(STDOUT_FILENO) == 1 else { return }
    throw Failure(.usage, "The output is binary and would be written to the terminal.", remedy: remedy)
  }
}

/// The file of `--portrait`: the original image, or a PNG if the file name ends in `.png`.
struct PortraitFile {
  /// `-` for standard output, to which the original image is written.
  let path: String

  private var fileExtension: String { URL(fileURLWithPath: path).pathExtension.lowercased() }

  /// - Throws: `PictureError` if the image cannot be converted to PNG; `Failure` if the file cannot be written.
  func write(_ face: FacialImage) throws {
    if path == "-" { return try StandardOutput.write(bytes: face.data) }
    let url = URL(fileURLWithPath: path)
    if fileExtension == "png", face.format != .png {
      let picture = try Picture(decoding: face.data)
      if picture.isDamaged { Note.write("The image is damaged or truncated. A part of the picture is not reliable.") }
      return try PrivateFile.write(try picture.png(), to: url)
    }
    try PrivateFile.write(face.data, to: url)
    let expected = face.format.fileExtension
    let others = [("jpeg", "jpg"), ("j2k", "jp2"), ("jpf", "jp2")]
    if fileExtension != expected, !others.contains(where: { $0 == (fileExtension, expected) }) {
      Note.write(
        "The portrait's format is \(face.format.rawValue). Its usual file name extension is .\(expected); "
          + "use .png to convert it to PNG.")
    }
  }
}
