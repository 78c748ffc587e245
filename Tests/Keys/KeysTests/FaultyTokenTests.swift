import Foundation
import TesseraCore
import TesseraCryptography
import TesseraKeys
import TestSupport
import Testing

extension RealPrograms {
  @Suite("A token that fails", .enabled(if: TokenLab.isEnabled))
  struct FaultyTokenTests {
    private static let functions = [
      "C_GenerateKeyPair", "C_SetAttributeValue", "C_CopyObject", "C_DestroyObject", "C_SignInit",
    ]
    private static let digest = [UInt8](repeating: 7, count: 32)
    private let (ours, theirs): (KeyName, KeyName)

    init() throws { (ours, theirs) = (try KeyName("ours"), try KeyName("theirs")) }

    /// A token with two keys of another program that have the same `CKA_ID`.
    private struct SharedToken {
      let lab: TokenLab
      let folder: TemporaryFolder
      let module: FaultyModule
      let plain: TokenKeyStore
      let faulty: TokenKeyStore

      init(copy: String = "CKR_OK") async throws {
        (lab, folder, module) = (try await TokenLab(), try TemporaryFolder(), try await FaultyModule(copy: copy))
        for label in ["theirs", "ours"] {
          let made = try await lab.tool(["--keypairgen", "--key-type", "EC:prime256v1", "--label", label, "--id", "01"])
          #expect(made.status == 0, "\(made.errors)")
        }
        let (uri, path) = (lab.uriWithPIN, folder.url.path)
        plain = try TokenKeyStore(uri: uri, secrets: NonInteractive(), path: path, secretService: { nil })
        faulty = try TokenKeyStore(
          uri: uri.replacing("/usr/lib/softhsm/libsofthsm2.so", with: module.path), secrets: NonInteractive(),
          path: path, secretService: { nil })
      }

      /// The public key of a key that signs.
      func wholeKey(_ name: KeyName, _ place: String) async throws -> P256PublicKey {
        let key = try await plain.key(name).publicKey
        #expect(
          try key.verify(
            await plain.sign(digest: FaultyTokenTests.digest, with: name), digest: FaultyTokenTests.digest), "\(place)")
        return key
      }

      /// Lets each call of a function fail in turn, until `change` no longer reaches it.
      ///
      /// - Returns: how often `change` threw.
      func failEach<Value>(
        _ function: String, _ moments: [FaultyModule.Moment], _ change: (TokenKeyStore) async throws -> Value,
        check: (Result<Value, any Error>, FaultyModule.Moment, String) async throws -> Void
      ) async throws -> Int {
        var failures = 0
        for moment in moments {
          var call = 1
          while true {
            try module.fail(function, call: call, moment)
            let made = await Result { try await change(faulty) }
            guard try module.wasReached() else { break }
            if case .failure = made { failures += 1 }
            try await check(made, moment, "\(function) \(call) \(moment)")
            call += 1
          }
        }
        return failures
      }
    }

    /// Replaces a key, with each call of a function failing in turn.
    private func replace(_ token: SharedToken, _ function: String, _ moments: [FaultyModule.Moment]) async throws -> Int
    {
      let point = try await token.plain.key(theirs).publicKey
      var before = try await token.plain.key(ours).publicKey
      return try await token.failEach(function, moments) {
        before = try await token.plain.key(ours).publicKey
        return try await $0.generate(ours, confirmation: .never, replacing: true).publicKey
      } check: { made, moment, place in
        let after = try await token.wholeKey(ours, place)
        switch made {
        case .success(let key): #expect(after == key, "\(place)")
        case .failure: #expect(after == before || moment.kills, "\(place)")
        }
        #expect(try await token.plain.keys().map(\.name) == [ours, theirs], "\(place)")
        #expect(try await token.plain.key(theirs).publicKey == point, "\(place)")
      }
    }

    @Test("a replacement that fails at any call leaves one whole key, and the objects of others", arguments: functions)
    func replacement(_ function: String) async throws {
      let token = try await SharedToken()
      #expect(try await replace(token, function, FaultyModule.Moment.failures) > 0 || function == "C_CopyObject")
      #expect(token.module.changesInPlace == 0)
      // The next change completes what failed.
      _ = try await token.plain.generate(ours, confirmation: .never, replacing: true)
      let objects = try await token.lab.tool(["--list-objects"]).output
      // Without a signature of the old key it is unknown which public object with its `CKA_ID` belongs to it.
      let count = objects.ranges(of: "label:      ours\n").count
      #expect(count == 2 || function == "C_SignInit", "\(objects)")
    }

    @Test("a deletion that fails at any call leaves the whole key or none, and the objects of others")
    func deletion() async throws {
      let token = try await SharedToken()
      let point = try await token.plain.key(theirs).publicKey
      for function in ["C_SetAttributeValue", "C_CopyObject", "C_DestroyObject"] {
        _ = try await token.failEach(function, FaultyModule.Moment.failures) { store in
          if try await token.plain.keys().count == 1 {
            _ = try await token.plain.generate(ours, confirmation: .never, replacing: false)
          }
          return try await store.delete(ours)
        } check: { deleted, _, place in
          let names = try await token.plain.keys().map(\.name)
          if names == [ours, theirs] {
            #expect(throws: (any Error).self, "\(place)") { try deleted.get() }
            _ = try await token.wholeKey(ours, place)
          } else {
            #expect(names == [theirs], "\(place)")
          }
          #expect(try await token.plain.key(theirs).publicKey == point, "\(place)")
        }
        // The last deletion reached no call that failed.
        #expect(try await token.plain.keys().map(\.name) == [theirs])
        let objects = try await token.lab.tool(["--list-objects"]).output
        #expect(!objects.contains("label:      ours\n"), "\(objects)")
      }
      #expect(token.module.changesInPlace == 0)
    }

    /// The objects that remain after a deletion.
    private func expectDeleted(_ token: SharedToken, _ place: String) async throws {
      #expect(try await token.plain.keys().map(\.name) == [theirs], "\(place)")
      _ = try await token.wholeKey(theirs, place)
      let objects = try await token.lab.tool(["--list-objects"]).output
      #expect(objects.ranges(of: "label:      theirs\n").count == 2, "\(place): \(objects)")
      #expect(objects.ranges(of: "label:").count == 2, "\(place): \(objects)")
    }

    @Test("a token that copies no objects renames them; one that is full deletes the key all the same")
    func withoutCopies() async throws {
      for (result, isFull) in [
        ("CKR_TEMPLATE_INCOMPLETE", false), ("CKR_VENDOR_DEFINED", false), ("CKR_GENERAL_ERROR", true),
      ] {
        let token = try await SharedToken(copy: result)
        if !isFull {
          // Without copies a kill can cost the public half.
          for function in ["C_SetAttributeValue", "C_DestroyObject"] {
            _ = try await replace(token, function, [.before, .after])
          }
          _ = try await token.plain.generate(ours, confirmation: .never, replacing: true)
        }
        let changes = token.module.changesInPlace
        #expect(try await token.faulty.delete(ours))
        #expect((token.module.changesInPlace > changes) == !isFull)
        let objects = try await token.lab.tool(["--list-objects"]).output
        #expect(objects.ranges(of: "label:      theirs\n").count == 2, "\(objects)")
        #expect(!objects.contains("label:      ours\n"), "\(objects)")
      }
    }

    @Test("an object that the token refuses to delete is renamed, and no copy of it stays")
    func undeletable() async throws {
      let token = try await SharedToken()
      // It deletes the private object, but first not the public one.
      try token.module.fail("C_DestroyObject", call: 1, .prohibited)
      #expect(try await token.faulty.delete(ours))
      #expect(try token.module.wasReached())
      #expect(token.module.changesInPlace > 0)
      try await expectDeleted(token, "prohibited")

      try token.module.keepPublicObjects()
      _ = try await token.faulty.generate(ours, confirmation: .never, replacing: false)
      _ = try await token.wholeKey(ours, "kept")
      #expect(try await token.lab.tool(["--list-objects"]).output.ranges(of: "label:").count == 4)
      #expect(try await token.faulty.delete(ours))
      #expect(try await token.plain.keys().map(\.name) == [theirs])
      let left = try await token.lab.tool(["--list-objects"]).output
      #expect(left.ranges(of: "label:      tessera-unfinished ").count == 1, "\(left)")
      #expect(left.ranges(of: "label:").count == 3, "\(left)")
      // Nor does it hinder later changes.
      _ = try await token.plain.generate(ours, confirmation: .never, replacing: false)
      _ = try await token.wholeKey(ours, "later")
    }
  }
}

extension Result where Failure == any Error {
  fileprivate init(_ body: () async throws -> Success) async {
    do { self = .success(try await body()) } catch { self = .failure(error) }
  }
}
