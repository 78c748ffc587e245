import FoundationEssentials
import Glibc
import Tessera
import TesseraCommandLine
import TesseraDurableFiles

/// The folder of `--terminal`: card-verifiable certificates, one per file, and one private key for Terminal
/// Authentication. The first bytes of a file determine its type; its name does not matter.
struct TerminalFolder {
  let path: String

  /// Exceeds every certificate and key.
  private static let longestFile = 64 << 10
  private static let mostFiles = 64

  func credentials() throws -> TerminalCredentials {
    let folder = URL(fileURLWithPath: path)
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: path).sorted() else {
      throw Failure.unreadable(path, isFolder: true)
    }
    guard !names.isEmpty else {
      throw Failure(
        .usage, "The folder \(path) is empty.", remedy: "Specify a folder with CV certificates and the terminal's key.")
    }
    guard names.count <= Self.mostFiles else {
      throw Failure(
        .usage, "The folder specified with --terminal contains more than \(Self.mostFiles) files.",
        remedy: "Use a folder that contains only the certificates and the key.")
    }
    var certificates: [CVCertificate] = []
    var keys: [PrivateKey] = []
    for name in names where !name.hasPrefix(".") {
      guard let bytes = try Self.bytes(folder.appendingPathComponent(name).path, name) else { continue }
      if bytes.withUnsafeBytes({ $0.starts(with: [0x7F, 0x21]) }) {
        do {
          certificates.append(try CVCertificate(bytes.withUnsafeBytes { Array($0) }))
        } catch {
          throw TerminalCredentials.Problem.certificate(name, error)
        }
      } else if let key = try? PrivateKey(bytes) {
        keys.append(key)
      }
    }
    guard let key = keys.first, keys.count == 1 else {
      throw TerminalCredentials.Problem.key("there are \(keys.count) in the folder.")
    }
    return try TerminalCredentials(certificates: certificates, key: key)
  }

  /// The file's content, in memory that is erased after use since it may be the key; nil for anything but regular
  /// files.
  private static func bytes(_ path: String, _ name: String) throws -> SecretBytes? {
    // A blocking `open` of a pipe would wait for its writer.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else {
      // A socket cannot be opened.
      if errno == ENXIO { return nil }
      throw TerminalCredentials.Problem.file(name)
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw TerminalCredentials.Problem.file(name) }
    guard status.st_mode & S_IFMT == S_IFREG else { return nil }
    guard let bytes = SecretBytes(reading: descriptor, upTo: longestFile) else {
      throw TerminalCredentials.Problem.file(name)
    }
    return bytes
  }
}
