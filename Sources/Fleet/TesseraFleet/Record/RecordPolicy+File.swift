internal import Glibc
internal import TesseraCore
internal import TesseraCryptography
internal import TesseraDurableFiles
internal import TesseraJSON

extension RecordPolicy {
  /// Reads a policy file with the key and the certificates that it names.
  ///
  /// - Throws: `RecordPolicyError`.
  public init(contentsOf path: String) throws {
    let bytes = try Self.read(path, member: nil, of: path, upTo: Self.maximumSize)
    let json = bytes.withUnsafeBytes { try? JSONValue(handwritten: $0) }
    guard case .object(let members)? = json else { throw RecordPolicyError(file: path, .notJSON) }
    self.init()
    try read(members, path)
    try validate(file: path)
  }

  private mutating func read(_ members: JSONObject, _ path: String) throws(RecordPolicyError) {
    guard let version = members["version"] else {
      throw RecordPolicyError(file: path, member: "version", .versionMissing)
    }
    guard version == 1 else { throw RecordPolicyError(file: path, member: "version", .unknownVersion) }
    for member in members.members {
      switch member.name {
      case "version": break
      case "fields": treatments = try Self.treatments(member.value, path)
      case "hashKeyFile":
        guard let name = member.value.stringValue else {
          throw RecordPolicyError(file: path, member: member.name, .notText)
        }
        hashKey = try Self.read(
          Self.resolve(name, path), member: member.name, of: path, upTo: Self.keyLengths.upperBound)
      case "recipientFiles": recipients = try Self.recipients(member.value, path)
      default: throw RecordPolicyError(file: path, member: Self.printable(member.name), .unknownMember)
      }
    }
  }

  private static func treatments(
    _ value: JSONValue, _ path: String
  ) throws(RecordPolicyError) -> [RecordField: RecordTreatment] {
    guard case .object(let fields) = value else { throw RecordPolicyError(file: path, member: "fields", .notObject) }
    var treatments: [RecordField: RecordTreatment] = [:]
    for entry in fields.members {
      let member = "fields.\(printable(entry.name))"
      guard let field = RecordField(rawValue: entry.name) else {
        throw RecordPolicyError(file: path, member: member, .unknownField)
      }
      guard let treatment = entry.value.stringValue.flatMap(RecordTreatment.init) else {
        throw RecordPolicyError(file: path, member: member, .unknownTreatment)
      }
      treatments[field] = treatment
    }
    return treatments
  }

  private static func recipients(
    _ value: JSONValue, _ path: String
  ) throws(RecordPolicyError) -> [EnvelopeRecipient] {
    guard case .array(let names) = value else {
      throw RecordPolicyError(file: path, member: "recipientFiles", .notArray)
    }
    guard names.count <= maximumRecipients else {
      throw RecordPolicyError(file: path, member: "recipientFiles", .tooManyRecipients)
    }
    var recipients: [EnvelopeRecipient] = []
    for (index, name) in names.enumerated() {
      let member = "recipientFiles[\(index)]"
      guard let name = name.stringValue else { throw RecordPolicyError(file: path, member: member, .notText) }
      let pem = try read(resolve(name, path), member: member, of: path, upTo: maximumSize)
      do {
        recipients += try EnvelopeRecipient.recipients(pem: pem)
      } catch {
        throw RecordPolicyError(file: path, member: member, .certificateUnusable(Failure(error).cause))
      }
    }
    return recipients
  }

  /// Of the policy and of a file of certificates, in bytes.
  private static let maximumSize = 64 << 10

  private static func resolve(_ name: String, _ path: String) -> String {
    name.hasPrefix("/") ? name : "\(PrivateFolder(ofFile: path).path)/\(name)"
  }

  private static func read(
    _ path: String, member: String?, of policy: String, upTo limit: Int
  ) throws(RecordPolicyError) -> SecretBytes {
    do {
      if let bytes = try RecordPolicyFile.read(path, upTo: limit) { return bytes }
    } catch {
      throw RecordPolicyError(file: policy, member: member, .unreadable(code: error.code))
    }
    throw RecordPolicyError(file: policy, member: member, .fileTooLarge(limit: limit))
  }

  /// A name in an error: part of a file that anybody may have written.
  private static func printable(_ name: String) -> String { PrintableText.of(name.prefix(bytes: 64)) }
}

/// A file of a policy. Links are followed: administrators link keys and certificates.
enum RecordPolicyFile {
  /// A system call failed with this `errno`.
  struct Unreadable: Error {
    let code: Int32
  }

  /// - Returns: nil if it has more than `limit` bytes.
  static func read(_ path: String, upTo limit: Int) throws(Unreadable) -> SecretBytes? {
    // A pipe without a writer would block.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw Unreadable(code: errno) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw Unreadable(code: errno) }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw Unreadable(code: status.st_mode & S_IFMT == S_IFDIR ? EISDIR : EINVAL)
    }
    return SecretBytes(reading: descriptor, upTo: limit)
  }
}
