import Foundation
import Tessera

/// A folder with what Terminal Authentication needs: card-verifiable certificates, each in a file of its own, and one
/// private key. What a file is shows in its first bytes, whatever its name.
struct TerminalFolder {
  let path: String

  /// Neither certificates nor keys are longer.
  private static let longestFile = 64 << 10
  private static let mostFiles = 64

  func credentials() throws -> TerminalCredentials {
    let folder = URL(fileURLWithPath: path)
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: path).sorted(), !names.isEmpty else {
      throw Failure(
        .usage, "What was given with --terminal is no folder that can be read, or is empty.",
        remedy: "Check its path and permissions.")
    }
    guard names.count <= Self.mostFiles else {
      throw Failure(
        .usage, "The folder given with --terminal holds more than \(Self.mostFiles) files.",
        remedy: "Put the certificates and the key into a folder of their own.")
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

  /// The file's content in memory that is wiped, since it may be the key; nil for folders, pipes and the like.
  private static func bytes(_ path: String, _ name: String) throws -> SecretBytes? {
    // Opening a pipe would wait for its writer.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else {
      // A socket cannot be opened, and holds no certificate.
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
