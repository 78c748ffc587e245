import Glibc
import TesseraBridge
import TesseraCore
import TesseraJSON

/// A file with the verification request or with a flow, `-` for standard input.
struct RequestFile {
  let path: String
  /// What the file contains, for messages.
  var noun = "verification request"

  private static let maximumLength = 1 << 20

  /// - Throws: `Failure` of the kind `usage` if the file cannot be read, or is not a verification request.
  func request() throws(Failure) -> VerificationRequest {
    let bytes = try bytes(upTo: Self.maximumLength)
    guard let value = try? JSONValue(handwritten: bytes) else {
      throw Failure(
        .usage, "The verification request is not JSON.",
        remedy: #"Write one object, for example {"scope": "hotel", "disclosures": ["surname"]}."#)
    }
    return try VerificationRequest(json: value)
  }

  /// The content of the file.
  ///
  /// - Throws: `Failure` of the kind `usage` if the file cannot be read, or is longer than the limit.
  func bytes(upTo limit: Int) throws(Failure) -> [UInt8] {
    let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { throw unreadable(limit) }
    defer { if descriptor != STDIN_FILENO { close(descriptor) } }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0, bytes.count <= limit else { throw unreadable(limit) }
      guard count > 0 else { return bytes }
      bytes += buffer.prefix(count)
    }
  }

  private func unreadable(_ limit: Int) -> Failure {
    Failure(
      .usage, "The \(noun) \(PrintableText.of(path)) cannot be read.",
      remedy: "Check that it is a file of at most \(limit) bytes that you can read.")
  }
}
