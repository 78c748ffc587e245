import Foundation
import TesseraCore
import TesseraCryptography
import TestSupport
import Testing

@testable import TesseraDBus
@testable import TesseraSecretService

extension RealPrograms {
  /// Tests with a real gnome-keyring, with libsecret's tool as a second client.
  @Suite(
    "Secret Service with gnome-keyring", .serialized,
    .enabled(if: SecretServiceLab.isEnabled, "\(SecretServiceLab.unavailableReason ?? "")"))
  struct KeyringTests {
    static let attributes = ["xdg:schema": "org.tessera.Test", "name": "first"]

    func service(_ lab: SecretServiceLab) async throws -> SecretService {
      try #require(await SecretService.connect(address: lab.address))
    }

    @Test("stores, finds, replaces and deletes a secret")
    func life() async throws {
      let lab = try await SecretServiceLab()
      let service = try await service(lab)
      #expect(try await service.lookup(Self.attributes) == nil)
      #expect(try await !service.delete(Self.attributes))
      try await service.store(SecretBytes("one".utf8), label: "Tessera", attributes: Self.attributes)
      #expect(try await service.lookup(Self.attributes) == SecretBytes("one".utf8))
      #expect(await service.encryptsTransfer == true)
      try await service.store(SecretBytes("two".utf8), label: "Renamed", attributes: Self.attributes)
      #expect(try await service.lookup(Self.attributes) == SecretBytes("two".utf8))
      let search = try await lab.run("secret-tool", ["search", "--all", "name", "first"])
      #expect(search.output.ranges(of: "secret = two").count == 1 && !search.output.contains("secret = one"))
      #expect(search.output.contains("label = Renamed") && search.output.contains("schema = org.tessera.Test"))
      #expect(try await service.lookup(["name": "second"]) == nil)
      #expect(try await service.delete(Self.attributes))
      #expect(try await service.lookup(Self.attributes) == nil)
      #expect(try await !service.delete(Self.attributes))
    }

    @Test(
      "returns secrets of any bytes unchanged",
      arguments: [[], [0], [0, 0x41, 0, 0], [UInt8](repeating: 0xA5, count: 16), [UInt8](0...255), Array("ä€".utf8)])
    func binary(_ bytes: [UInt8]) async throws {
      let lab = try await SecretServiceLab()
      try await service(lab).store(SecretBytes(bytes), label: "bytes", attributes: Self.attributes)
      // Over another connection, and thus with another session key.
      let found = try #require(try await service(lab).lookup(Self.attributes))
      #expect(found.withUnsafeBytes { Array($0) } == bytes)
    }

    @Test("returns a secret of many pages unchanged")
    func large() async throws {
      let lab = try await SecretServiceLab()
      let service = try await service(lab)
      let secret = try RandomBytes.makeSecret(300_000)
      try await service.store(secret, label: "large", attributes: Self.attributes)
      #expect(try await service.lookup(Self.attributes) == secret)
    }

    @Test("finds a secret that secret-tool stored")
    func fromForeignClient() async throws {
      let lab = try await SecretServiceLab()
      let store = try await lab.run(
        "secret-tool", ["store", "--label=foreign", "app", "lab", "name", "x"], input: "from afar")
      #expect(store.status == 0)
      let service = try await service(lab)
      #expect(try await service.lookup(["app": "lab", "name": "x"]) == SecretBytes("from afar".utf8))
      // The same item is replaced.
      try await service.store(SecretBytes("nearer".utf8), label: "own", attributes: ["app": "lab", "name": "x"])
      let search = try await lab.run("secret-tool", ["search", "--all", "app", "lab"])
      #expect(search.output.contains("secret = nearer") && !search.output.contains("from afar"))
      #expect(try await service.delete(["app": "lab"]))
      #expect(try await lab.run("secret-tool", ["lookup", "app", "lab"]).status == 1)
    }

    @Test("stores a secret that secret-tool finds")
    func toForeignClient() async throws {
      let lab = try await SecretServiceLab()
      try await service(lab).store(SecretBytes("over there".utf8), label: "own", attributes: Self.attributes)
      let lookup = try await lab.run("secret-tool", ["lookup", "xdg:schema", "org.tessera.Test", "name", "first"])
      #expect(lookup.status == 0)
      #expect(lookup.output == "over there")
    }

    @Test("replaces only an item with exactly these attributes, and prefers it to items with more attributes")
    func exactness() async throws {
      let lab = try await SecretServiceLab()
      let service = try await service(lab)
      let more = Self.attributes.merging(["part": "2"]) { $1 }
      try await service.store(SecretBytes("more".utf8), label: "more", attributes: more)
      #expect(try await service.lookup(Self.attributes) == SecretBytes("more".utf8))
      try await service.store(SecretBytes("less".utf8), label: "less", attributes: Self.attributes)
      #expect(try await service.lookup(more) == SecretBytes("more".utf8))
      #expect(try await service.lookup(Self.attributes) == SecretBytes("less".utf8))
      // Regardless of which item was used last.
      try await service.store(SecretBytes("more 2".utf8), label: "more", attributes: more)
      #expect(try await service.lookup(Self.attributes) == SecretBytes("less".utf8))
      #expect(try await service.delete(Self.attributes))
      #expect(try await service.lookup(more) == nil, "deletes all items with the attributes")
    }

    /// Creates an item without checking for one with the same attributes, as another client may.
    func makeTwin(_ lab: SecretServiceLab, in collection: String, _ text: String) throws {
      let bus = try BusConnection.open(.at(lab.address))
      let open = try bus.methodCall(
        to: Names.service, path: Names.path, interface: Names.serviceInterface, method: "OpenSession")
      try open.append("plain")
      try open.append(variant: .string(""))
      let reply = try bus.call(open)
      _ = try reply.readVariant()
      let session = try reply.readObjectPath()
      let create = try bus.methodCall(
        to: Names.service, path: collection, interface: Names.collectionInterface, method: "CreateItem")
      try create.append([
        "org.freedesktop.Secret.Item.Label": BusValue.string(text),
        "org.freedesktop.Secret.Item.Attributes": .stringDictionary(Self.attributes),
      ])
      try create.appendStructure("oayays") { () throws(BusError) in
        try create.append(objectPath: session)
        try create.append(bytes: [])
        try create.append(bytes: Array(text.utf8))
        try create.append("text/plain")
      }
      try create.append(false)
      _ = try bus.call(create)
    }

    @Test("storing removes duplicates; items of other collections are neither changed nor preferred")
    func twins() async throws {
      let lab = try await SecretServiceLab()
      let service = try await service(lab)
      let transient = "/org/freedesktop/secrets/collection/session"
      let collection = try await lab.collection()
      for text in ["first", "second", "third"] { try makeTwin(lab, in: collection, text) }
      for text in ["elsewhere 1", "elsewhere 2"] { try makeTwin(lab, in: transient, text) }
      try await service.store(SecretBytes("own".utf8), label: "own", attributes: Self.attributes)
      try makeTwin(lab, in: transient, "elsewhere 3")
      #expect(try await service.lookup(Self.attributes) == SecretBytes("own".utf8))
      let search = try await lab.run("secret-tool", ["search", "--all", "name", "first"])
      let secrets = search.output.split(separator: "\n").filter { $0.hasPrefix("secret = ") }.sorted()
      #expect(
        secrets == ["secret = elsewhere 1", "secret = elsewhere 2", "secret = elsewhere 3", "secret = own"],
        "\(search.output)")
      // The default collection is preferred because it is the default, not because of its position in the list.
      let alias = try await lab.run(
        "dbus-send",
        [
          "--session", "--print-reply", "--dest=\(Names.service)", Names.path, "\(Names.serviceInterface).SetAlias",
          "string:default", "objpath:\(transient)",
        ])
      #expect(alias.status == 0)
      try await service.store(SecretBytes("passing".utf8), label: "passing", attributes: Self.attributes)
      #expect(try await service.lookup(Self.attributes) == SecretBytes("passing".utf8))
    }

    @Test("reports a locked keyring soon if there is no prompter", .timeLimit(.minutes(10)))
    func locked() async throws {
      let lab = try await SecretServiceLab()
      let limits = SecretService.Limits(call: .seconds(3600), prompt: .seconds(3600))
      let service = try #require(await SecretService.connect(address: lab.address, limits: limits))
      try await service.store(SecretBytes("one".utf8), label: "Tessera", attributes: Self.attributes)
      try await lab.lock()
      await #expect(throws: SecretServiceError.locked) { try await service.lookup(Self.attributes) }
      await #expect(throws: SecretServiceError.locked) { try await service.delete(Self.attributes) }
      await #expect(throws: SecretServiceError.locked) {
        try await service.store(SecretBytes([]), label: "", attributes: ["name": "another"])
      }
      // A missing item is reported as missing, whether the keyring is locked or not.
      #expect(try await service.lookup(["name": "another"]) == nil)
    }

    @Test("encrypts the secret on the bus in both directions")
    func wire() async throws {
      let lab = try await SecretServiceLab()
      let monitor = try lab.start("dbus-monitor", ["--session", "--pcap"])
      defer { monitor.send(signal: SIGKILL) }
      let isWatching = await Waiting.until {
        _ = try? await lab.run("dbus-send", ["--session", "--type=signal", "/", "a.b.C", "string:IS-WATCHING"])
        return monitor.output.contains("IS-WATCHING")
      }
      #expect(isWatching)
      let service = try await service(lab)
      let secret = "TOPSECRET-0123456789-ABCDEFGHIJKLMNOPQRSTUVWXYZ"
      try await service.store(SecretBytes(secret.utf8), label: "VISIBLE-LABEL", attributes: Self.attributes)
      #expect(try await service.lookup(Self.attributes) == SecretBytes(secret.utf8))
      // Check of the method: the monitor recorded both calls completely, the one that stored the secret and the one that
      // read it.
      #expect(try await !service.delete(["name": "END-OF-TEST"]))
      #expect(await monitor.wait { $0.output.contains("END-OF-TEST") })
      #expect(monitor.output.contains("VISIBLE-LABEL") && monitor.output.contains("GetSecret"))
      #expect(monitor.output.contains(ServiceSession.encryptedAlgorithm))
      for part in ["TOPSECRET", "0123456789", "QRSTUVWXYZ"] { #expect(!monitor.output.contains(part)) }
    }

    @Test("finds a keyring again after a restart")
    func restart() async throws {
      let lab = try await SecretServiceLab()
      let service = try await service(lab)
      try await service.store(SecretBytes("one".utf8), label: "Tessera", attributes: Self.attributes)
      await lab.stopKeyring()
      #expect(await Waiting.until { (try? await lab.collection()) == "/" })
      await #expect(throws: SecretServiceError.bus(name: "org.freedesktop.DBus.Error.ServiceUnknown")) {
        try await service.lookup(Self.attributes)
      }
      let again = try lab.start(
        "gnome-keyring-daemon", ["--unlock", "--components=secrets", "--foreground"], input: "lab")
      defer { again.send(signal: SIGKILL) }
      #expect(await Waiting.until { (try? await lab.collection()) != "/" })
      #expect(try await service.lookup(Self.attributes) == SecretBytes("one".utf8))
    }

    @Test("throws when the bus ends")
    func deadBus() async throws {
      let lab = try await SecretServiceLab()
      let service = try await service(lab)
      try await service.store(SecretBytes("one".utf8), label: "Tessera", attributes: Self.attributes)
      await lab.stopBus()
      for _ in 0..<2 {
        await #expect(throws: SecretServiceError.serviceUnavailable) { try await service.lookup(Self.attributes) }
      }
      #expect(try await SecretService.connect(address: lab.address) == nil, "no process listens there")
    }

    @Test("returns nil without a bus or without the service")
    func nothingThere() async throws {
      let lab = try await SecretServiceLab(hasKeyring: false)
      #expect(try await SecretService.connect(address: lab.address) == nil)
      #expect(try await SecretService.connect(address: "unix:path=/proc/nonexistent/bus") == nil)
      #expect(try await SecretService.connect(address: "disabled:") == nil)
    }

    @Test("rejects values that cannot be sent, and sends nothing")
    func unusableInput() async throws {
      let lab = try await SecretServiceLab()
      let service = try await service(lab)
      try await service.store(SecretBytes("one".utf8), label: "Tessera", attributes: Self.attributes)
      for attributes in [[:], ["name": "first\0more"], ["name\0": "first"]] {
        for operation in [
          { _ = try await service.lookup(attributes) }, { try await service.delete(attributes) },
          { try await service.store(SecretBytes([]), label: "", attributes: attributes) },
        ] as [@Sendable () async throws -> Void] {
          let error = await #expect(throws: SecretServiceError.self) { try await operation() }
          #expect(error?.failure.kind == .usage)
        }
      }
      await #expect(throws: SecretServiceError.unusable("A string with a zero character")) {
        try await service.store(SecretBytes([]), label: "a\0b", attributes: Self.attributes)
      }
      #expect(try await service.lookup(Self.attributes) == SecretBytes("one".utf8))
      await #expect(throws: SecretServiceError.self) { try await SecretService.connect(address: "unix:path=/a\0b") }
    }
  }
}

enum Waiting {
  /// Waits until `condition` is true, for at most ten minutes.
  static func until(_ condition: () async -> Bool) async -> Bool {
    (try? await isTrue { await condition() }) ?? false
  }
}
