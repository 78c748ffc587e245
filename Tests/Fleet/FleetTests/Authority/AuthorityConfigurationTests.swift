import Foundation
import TesseraBridge
import TestSupport
import Testing

@testable import TesseraFleet

extension RealPrograms {
  @Suite("The configuration of the servers") struct AuthorityConfigurationTests {
    private static let server = FleetServer(name: "n1", storeFolder: "/var/lib/nats")
    private static let tls = FleetServerTLS(
      certificate: "/etc/nats/server.pem", key: "/etc/nats/key.pem", authorities: "/etc/nats/ca.pem")

    private static func configuration(
      desks: [String] = ["d1", "d2"], inspectors: [String] = ["i1"], servers: [FleetServer] = [server],
      tls: FleetServerTLS? = nil
    ) throws -> FleetServerConfiguration {
      FleetServerConfiguration(
        desks: try desks.map { try FleetUser(name: $0, key: NKey().publicKey) },
        inspectors: try inspectors.map { try FleetUser(name: $0, key: NKey().publicKey) },
        administrator: try NKey().publicKey, system: try NKey().publicKey, servers: servers, tls: tls)
    }

    /// Whether the server accepts the files, as it says itself.
    private static func isAccepted(_ files: [FleetServerConfiguration.File], in folder: TemporaryFolder) throws -> Bool
    {
      for file in files { try Data(file.text.utf8).write(to: folder.url.appendingPathComponent(file.name)) }
      return files.filter { $0.name != FleetServerConfiguration.accountsFile }.allSatisfy {
        ProgramRun.succeeds("/usr/sbin/nats-server", ["-t", "-c", folder.file($0.name)])
      }
    }

    private static let cluster = (0..<3).map {
      FleetServer(
        name: "n\($0)", port: UInt16(4222 + $0), clusterPort: UInt16(6222 + $0),
        storeFolder: "/tmp/a \"b\" \\ $HOME/\($0)")
    }

    @Test("nats-server accepts one server, a cluster, and 200 desks", arguments: [1, 3], [2, 200])
    func accepted(servers: Int, desks: Int) throws {
      let folder = try TemporaryFolder()
      let files = try Self.configuration(
        desks: (0..<desks).map { "desk-\($0)" }, inspectors: ["i1", "i2", "i3"],
        servers: Array(Self.cluster.prefix(servers))
      ).files()
      #expect(files.map(\.name) == ["accounts.conf"] + (0..<servers).map { "n\($0).conf" })
      #expect(try Self.isAccepted(files, in: folder))
      // The check refuses what is wrong.
      let broken = files.map { FleetServerConfiguration.File(name: $0.name, text: $0.text + "server_nam: n1\n") }
      #expect(try !Self.isAccepted(broken, in: folder))
    }

    @Test("TLS is in the listener's block and in the cluster's") func withTLS() throws {
      let files = try Self.configuration(servers: Self.cluster, tls: Self.tls).files()
      let text = try #require(files.last).text
      #expect(text.components(separatedBy: "cert_file: \"/etc/nats/server.pem\"").count == 3)
      // The cluster's certificates are always verified, those of clients only if asked.
      #expect(text.components(separatedBy: "verify: true").count == 2)
      var tls = Self.tls
      tls.verifiesClients = true
      let verifying = try Self.configuration(servers: Self.cluster, tls: tls).files()
      #expect(try #require(verifying.last).text.components(separatedBy: "verify: true").count == 3)
    }

    @Test(
      "A server at the network needs TLS", arguments: ["0.0.0.0", "10.1.2.3", "nats.example", "127.evil.example", "::"])
    func networkNeedsTLS(host: String) throws {
      var server = Self.server
      server.host = host
      var configuration = try Self.configuration(servers: [server])
      #expect(throws: FleetAuthorityError.unencrypted(address: host == "::" ? "[::]:4222" : "\(host):4222")) {
        try configuration.files()
      }
      configuration.tls = Self.tls
      #expect(try configuration.files().count == 2)
      configuration.tls = nil
      configuration.allowsUnencryptedNetwork = true
      #expect(try configuration.files().count == 2)
    }

    @Test(
      "A name with other characters is refused",
      arguments: ["", "D1", "d.1", "d*", ">", "d 1", "d\n", "é", "\"", String(repeating: "a", count: 33)])
    func badNames(name: String) throws {
      #expect(throws: FleetAuthorityError.badName(name)) { try FleetUser(name: name, key: NKey().publicKey) }
      let folder = try TemporaryFolder()
      #expect(throws: FleetAuthorityError.badName(name)) {
        try FleetServerFolder(path: folder.file("fleet")).write(
          .init(desks: [name], inspectors: [], servers: [Self.server]))
      }
      #expect(!FileManager.default.fileExists(atPath: folder.file("fleet")))
    }

    @Test("What would make users equal or a cluster unusable is refused") func refused() throws {
      var configuration = try Self.configuration()
      configuration.desks.append(try FleetUser(name: "d1", key: NKey().publicKey))
      #expect(throws: FleetAuthorityError.duplicateName("d1")) { try configuration.files() }

      configuration = try Self.configuration()
      configuration.inspectors.append(try FleetUser(name: "i2", key: configuration.desks[0].key))
      #expect(throws: FleetAuthorityError.sharedKey("the desk d1", "the inspector i2")) { try configuration.files() }
      configuration = try Self.configuration()
      configuration.system = configuration.administrator
      #expect(throws: FleetAuthorityError.sharedKey("the administrator", "the system user")) {
        try configuration.files()
      }
      // An inspector with the administrator's inbox would receive its answers.
      #expect(throws: FleetAuthorityError.badName("admin")) { try Self.configuration(inspectors: ["admin"]).files() }
      #expect(throws: FleetAuthorityError.notAUser(name: "d1")) {
        try FleetUser(name: "d1", key: NKey(.account).publicKey)
      }
      #expect(throws: FleetAuthorityError.badCluster) {
        try Self.configuration(servers: Array(Self.cluster.prefix(2))).files()
      }
      #expect(throws: FleetAuthorityError.badCluster) { try Self.configuration(servers: []).files() }
      var colliding = Self.cluster
      colliding[1].clusterPort = colliding[0].port
      #expect(throws: FleetAuthorityError.badCluster) { try Self.configuration(servers: colliding).files() }
      var server = Self.server
      server.storeFolder = "/var\n/lib"
      #expect(throws: FleetAuthorityError.badValue(setting: "store_dir")) {
        try Self.configuration(servers: [server]).files()
      }
      #expect(throws: FleetAuthorityError.tooManyDesks(limit: 1000)) {
        try Self.configuration(desks: (0...1000).map { "d\($0)" }).files()
      }
    }

    @Test("Each desk has its own account, and no line of it names another desk") func ownAccounts() throws {
      let configuration = try Self.configuration(desks: ["north", "south"])
      let text = try configuration.files()[0].text
      let account = try #require(
        text.components(separatedBy: "  DESK_north {").last?.components(separatedBy: "  DESK_").first)
      #expect(account.contains("\"tessera.read.north.*\"") && account.contains(configuration.desks[0].key.text))
      #expect(!account.contains("south") && !account.contains("record") && !account.contains("$"))
      #expect(text.components(separatedBy: configuration.desks[0].key.text).count == 2)
    }

    @Test("A desk may answer a relay request as long as an inspector can wait for it, and no longer")
    func responseExpiry() throws {
      let text = try Self.configuration().files()[0].text
      let limits = FleetLimits()
      // The read is given up, and its last request with it.
      let seconds = Int((limits.remote + limits.relay) / .seconds(1))
      #expect(seconds == 220)
      #expect(text.components(separatedBy: "expires: \"\(seconds)s\"").count == 3)
      #expect(text.components(separatedBy: "expires").count == 3)
    }

    /// A block of the article.
    private static func block(of language: String, beginning text: String) throws -> String {
      let article = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../../../Sources/Tessera/Tessera.docc/Fleet.md")
      let blocks = try String(contentsOf: article, encoding: .utf8).components(separatedBy: "```")
      return String(try #require(blocks.first { $0.hasPrefix(language + text) }).dropFirst(language.count))
    }

    @Test("The account of a desk in the article is the one that is written") func accountInArticle() throws {
      let configuration = try Self.configuration(desks: ["d1"])
      let text = try configuration.files()[0].text.replacing(configuration.desks[0].key.text, with: "U…")
      let account = try #require(text.range(of: "  DESK_d1 {"))
      // Without the end of the block of all accounts.
      let written = try #require(text[account.lowerBound...].range(of: "\n  }\n"))
      // The syntax takes a colon or a space, and a line break or a comma.
      func words(_ text: some StringProtocol) -> [String] {
        text.split { $0.isWhitespace || $0 == "," }.joined(separator: " ")
          .replacing(/([\[\]{}])/) { " \($0.1) " }.split(separator: " ").map(String.init)
      }
      #expect(
        try words(Self.block(of: "\n", beginning: "DESK_d1 {"))
          == words(text[account.lowerBound..<written.upperBound]))
    }

    @Test("Claims of an earlier configuration do not stay beside a newer one") func staleClaims() throws {
      let temporary = try TemporaryFolder()
      let folder = FleetServerFolder(path: temporary.file("fleet"))
      var request = FleetServerFolder.Request(desks: ["d1"], inspectors: ["i1"], servers: [Self.server])
      for writesClaims in [true, false, false, true] {
        request.writesClaims = writesClaims
        let isReported = try folder.write(request).contains { $0.path == temporary.file("fleet/claims.json") }
        #expect(isReported == writesClaims)
        #expect(FileManager.default.fileExists(atPath: temporary.file("fleet/claims.json")) == writesClaims)
      }
    }

    @Test("The claims for JWTs are written on request, and those of a desk are in the article")
    func claims() throws {
      var configuration = try Self.configuration(desks: ["d1"])
      #expect(try configuration.files().map(\.name) == ["accounts.conf", "n1.conf"])
      configuration.writesClaims = true
      let file = try #require(try configuration.files().last)
      #expect(file.name == "claims.json")
      let claims = try JSONValue(text: file.text)
      let desk = try JSONValue(text: Self.block(of: "json\n", beginning: "{ \"DESK_d1\""))
      #expect(desk["DESK_d1"]?.text == claims["DESK_d1"]?.text)
      #expect(claims["CORE"]?["users"]?["i1"]?["pub"]?["deny"] == .array(["tessera.inbox.i1.>"]))
      #expect(claims["CORE"]?["users"]?["admin"] != nil)
    }

    @Test("Written again with one more desk, all keys stay; a seed that was moved away is not made again")
    func writtenAgain() throws {
      let temporary = try TemporaryFolder()
      let folder = FleetServerFolder(path: temporary.file("fleet"))
      var request = FleetServerFolder.Request(desks: ["d1"], inspectors: ["i1"], servers: [Self.server])
      let files = try folder.write(request)
      #expect(files.map(\.path) == [temporary.file("fleet/accounts.conf"), temporary.file("fleet/n1.conf")])
      #expect(files.map(\.server) == [nil, "n1"] && files.allSatisfy { !$0.isChanged && $0.changes.isEmpty })
      let first = try #require(try NKeyFile(path: folder.deskSeed("d1")).read()).publicKey
      #expect(String(decoding: temporary.bytes("fleet/accounts.conf"), as: UTF8.self).contains(first.text))
      for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
        var status = stat()
        #expect(stat("\(folder.path)/\(name)", &status) == 0 && status.st_mode & 0o777 == 0o600, "\(name)")
      }

      try FileManager.default.moveItem(atPath: folder.deskSeed("d1"), toPath: temporary.file("at the desk"))
      request.desks.append("d2")
      let again = try folder.write(request)
      #expect(again.map(\.isChanged) == [true, false])
      let text = String(decoding: temporary.bytes("fleet/accounts.conf"), as: UTF8.self)
      #expect(text.contains(first.text) && text.contains("DESK_d2"))
      #expect(!FileManager.default.fileExists(atPath: folder.deskSeed("d1")))
      #expect(try NKeyFile(path: folder.deskSeed("d2")).read() != nil)
      for seed in [folder.administratorSeed, folder.systemSeed, folder.inspectorSeed("i1")] {
        let key = try #require(try NKeyFile(path: seed).read()).publicKey
        #expect(text.contains(key.text))
      }

      // A public key that a desk made itself.
      let own = try NKey()
      try Data("\(own.publicKey)\n".utf8).write(to: URL(fileURLWithPath: "\(folder.path)/desk-d3.pub"))
      request.desks.append("d3")
      _ = try folder.write(request)
      #expect(String(decoding: temporary.bytes("fleet/accounts.conf"), as: UTF8.self).contains(own.publicKey.text))
      #expect(!FileManager.default.fileExists(atPath: folder.deskSeed("d3")))

      // Only a restart applies it.
      request.servers[0].maximumFileBytes = 5 << 30
      let last = try folder.write(request)
      #expect(last.map(\.isChanged) == [false, true])
      #expect(last[1].changes.sorted() == ["+ max_file: 5368709120", "- max_file: 10737418240"])
    }

    @Test("A refused request writes nothing") func refusedWritesNothing() throws {
      let temporary = try TemporaryFolder()
      let folder = FleetServerFolder(path: temporary.file("fleet"))
      var server = Self.server
      server.host = "0.0.0.0"
      #expect(throws: FleetAuthorityError.unencrypted(address: "0.0.0.0:4222")) {
        try folder.write(.init(desks: ["d1"], inspectors: ["i1"], servers: [server]))
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }
  }
}
