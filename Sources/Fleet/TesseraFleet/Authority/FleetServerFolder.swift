internal import TesseraCore
internal import TesseraCryptography
internal import TesseraDurableFiles

/// A private folder with the configuration of a fleet's servers and the seeds of its users. Its calls block.
///
/// A seed is a file of mode 0600, `desk-NAME.nk`, `inspector-NAME.nk`, `admin.nk` or `system.nk`; beside it `….pub` has the
/// public key. Move a seed to the machine that uses it: the public key is enough to write the configuration again. A
/// machine that makes its key itself hands over the public key only.
package struct FleetServerFolder: Sendable {
  package let path: String

  package init(path: String) { self.path = path }

  /// What to configure.
  package struct Request: Sendable {
    package var desks: [String]
    package var inspectors: [String]
    package var servers: [FleetServer]
    package var tls: FleetServerTLS?
    package var allowsUnencryptedNetwork = false
    package var writesClaims = false

    package init(desks: [String], inspectors: [String], servers: [FleetServer], tls: FleetServerTLS? = nil) {
      self.desks = desks
      self.inspectors = inspectors
      self.servers = servers
      self.tls = tls
    }
  }

  /// A file of the configuration that was written.
  package struct WrittenFile: Sendable, Equatable {
    package let path: String
    /// The server that alone reads the file; nil for a file of all servers.
    package let server: String?
    /// Whether it had another content before; false for a new file.
    package let isChanged: Bool
    /// Of a server's own file: the lines that it no longer has, each behind `- `, and those that it did not have before,
    /// behind `+ `.
    package let changes: [String]
  }

  /// Writes the configuration, and makes the keys that are missing. Existing keys stay. Claims that are not asked for are
  /// removed.
  ///
  /// - Throws: `FleetAuthorityError`, `FolderError`. A refused request writes nothing.
  package func write(_ request: Request) throws -> [WrittenFile] {
    for name in request.desks + request.inspectors where !FleetUser.isName(name) {
      throw FleetAuthorityError.badName(name)
    }
    return try FolderLock(folder: path).withLock {
      var keys: [String: Holder] = [:]
      func key(_ file: String) throws -> NKeyPublicKey {
        let holder = try keys[file] ?? self.holder(file)
        keys[file] = holder
        return holder.publicKey
      }
      var configuration = FleetServerConfiguration(
        desks: try request.desks.map { try FleetUser(name: $0, key: key(Self.deskFile($0))) },
        inspectors: try request.inspectors.map { try FleetUser(name: $0, key: key(Self.inspectorFile($0))) },
        administrator: try key(Self.administratorFile), system: try key(Self.systemFile),
        servers: request.servers, tls: request.tls)
      configuration.allowsUnencryptedNetwork = request.allowsUnencryptedNetwork
      configuration.writesClaims = request.writesClaims
      let files = try configuration.files()
      let written = files.map { file in
        let server = request.servers.first { file.name == "\($0.name).conf" }?.name
        let stored = DurableFile(path: "\(path)/\(file.name)")
        // What cannot be read, such as a link, is replaced.
        let before = (try? stored.bytes(upTo: Self.largestFile)).flatMap(\.self)
          .map { String(decoding: $0, as: UTF8.self) }
        return WrittenFile(
          path: stored.path, server: server, isChanged: before.map { $0 != file.text } ?? false,
          changes: server == nil ? [] : before.map { Self.changes(from: $0, to: file.text) } ?? [])
      }
      for (file, holder) in keys.sorted(by: { $0.key < $1.key }) { try save(holder, file) }
      for (file, place) in zip(files, written) {
        _ = try DurableFile(path: place.path).write(Array(file.text.utf8), replacing: true)
      }
      // Claims of an earlier configuration would grant what this one does not.
      if !request.writesClaims {
        _ = try DurableFile(path: "\(path)/\(FleetServerConfiguration.claimsFile)").remove()
      }
      return written
    }
  }

  /// The accounts of the most desks and inspectors have some 2 MB.
  private static let largestFile = 64 << 20

  private static func changes(from before: String, to after: String) -> [String] {
    func lines(_ text: String) -> [Substring] { text.split(separator: "\n") }
    return lines(after).difference(from: lines(before)).map { change in
      switch change {
      case .remove(_, let line, _): "- \(String(line).trimmed)"
      case .insert(_, let line, _): "+ \(String(line).trimmed)"
      }
    }
  }

  // MARK: - Keys

  /// The seed of a desk.
  package func deskSeed(_ name: String) -> String { seedPath(Self.deskFile(name)) }

  /// The seed of an inspector.
  package func inspectorSeed(_ name: String) -> String { seedPath(Self.inspectorFile(name)) }

  package var administratorSeed: String { seedPath(Self.administratorFile) }

  package var systemSeed: String { seedPath(Self.systemFile) }

  private static func deskFile(_ name: String) -> String { "desk-\(name)" }
  private static func inspectorFile(_ name: String) -> String { "inspector-\(name)" }
  private static let administratorFile = FleetServerConfiguration.administratorName
  private static let systemFile = "system"

  private func seedPath(_ file: String) -> String { "\(path)/\(file).nk" }
  private func publicKeyPath(_ file: String) -> String { "\(path)/\(file).pub" }

  /// A user's key, and whether it is new.
  private enum Holder {
    case known(NKeyPublicKey)
    case new(NKey)

    var publicKey: NKeyPublicKey {
      switch self {
      case .known(let key): key
      case .new(let key): key.publicKey
      }
    }
  }

  /// A seed counts before a public key: it may have been replaced.
  private func holder(_ file: String) throws -> Holder {
    if let key = try NKeyFile(path: seedPath(file)).read() { return .known(key.publicKey) }
    guard let content = try DurableFile(path: publicKeyPath(file)).bytes(upTo: 256) else { return .new(try NKey()) }
    let text = String(decoding: content, as: UTF8.self).split(whereSeparator: \.isWhitespace)
    guard text.count == 1 else { throw FleetAuthorityError.notAPublicKey }
    return .known(try NKeyPublicKey(String(text[0])))
  }

  /// Writes the seed first: a public key without a seed looks like one whose seed was moved.
  private func save(_ holder: Holder, _ file: String) throws {
    if case .new(let key) = holder { _ = try NKeyFile(path: seedPath(file)).create(key) }
    _ = try DurableFile(path: publicKeyPath(file)).write(Array("\(holder.publicKey)\n".utf8), replacing: true)
  }
}

/// A desk or an inspector, as a server's configuration names it.
package struct FleetUser: Sendable, Equatable {
  /// 1 to 32 characters of `a` to `z`, `0` to `9` and `-`: a token of its subjects.
  package let name: String
  package let key: NKeyPublicKey

  /// - Throws: `FleetAuthorityError.badName`, `.notAUser`.
  package init(name: String, key: NKeyPublicKey) throws {
    guard Self.isName(name) else { throw FleetAuthorityError.badName(name) }
    guard key.kind == .user else { throw FleetAuthorityError.notAUser(name: name) }
    self.name = name
    self.key = key
  }

  static func isName(_ name: String) -> Bool { DeskName(name) != nil }
}

/// A file with the text of a seed, of mode 0600. `nsc` and the other tools of NATS read and write the same form.
package struct NKeyFile: Sendable {
  package let path: String

  package init(path: String) { self.path = path }

  /// A seed and a line end; comments of other tools do not fit.
  private static let maximumSize = 256

  /// - Returns: nil if the file does not exist.
  /// - Throws: `FleetAuthorityError.notASeed`, `.openToOthers`, `FolderError`.
  package func read() throws -> NKey? {
    // Whoever can read it can log in as this user.
    guard !Ownership(of: path).exposesSecrets else { throw FleetAuthorityError.openToOthers(path) }
    guard let content = try DurableFile(path: path).read(upTo: Self.maximumSize)?.content else { return nil }
    let seed = content.withUnsafeBytes { bytes in
      // Some editors begin a file with a byte order mark.
      let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
      let end = bytes.count - bytes.reversed().prefix { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }.count
      return SecretBytes(UnsafeRawBufferPointer(rebasing: bytes[start..<max(start, end)]))
    }
    return try NKey(seedText: seed)
  }

  /// Writes the seed of a new key. An existing file is not replaced: nobody could log in with the old key any more.
  ///
  /// - Returns: false if the file exists.
  /// - Throws: `FolderError`.
  package func create(_ key: NKey) throws -> Bool {
    try DurableFile(path: path).write(key.seedText.joined(after: [], before: [UInt8(ascii: "\n")]), replacing: false)
  }
}
