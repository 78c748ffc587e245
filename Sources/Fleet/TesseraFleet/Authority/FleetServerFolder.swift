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

  /// Writes the configuration, and makes the keys that are missing. Existing keys stay. Claims that are not asked for are
  /// removed.
  ///
  /// - Returns: the paths of the written configuration files.
  /// - Throws: `FleetAuthorityError`, `FolderError`. A refused request writes nothing.
  package func write(_ request: Request) throws -> [String] {
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
      for (file, holder) in keys.sorted(by: { $0.key < $1.key }) { try save(holder, file) }
      for file in files {
        _ = try DurableFile(path: "\(path)/\(file.name)").write(Array(file.text.utf8), replacing: true)
      }
      // Claims of an earlier configuration would grant what this one does not.
      if !request.writesClaims {
        _ = try DurableFile(path: "\(path)/\(FleetServerConfiguration.claimsFile)").remove()
      }
      return files.map { "\(path)/\($0.name)" }
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
