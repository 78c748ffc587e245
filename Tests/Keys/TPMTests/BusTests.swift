import Synchronization
import TesseraCryptography
import TesseraTPM
import TestSupport
import Testing

extension RealPrograms {
  @Suite(
    "TPM commands on the bus", .serialized, .timeLimit(.minutes(15)),
    .enabled(if: TPMLab.isEnabled, "\(TPMLab.unavailableReason ?? "")"))
  struct BusTests {
    static let signCode: UInt32 = 0x15D
    static let loadCode: UInt32 = 0x157

    @Test("signs with the loaded key in one command", arguments: [nil, "1234"])
    func commands(pin: String?) async throws {
      let lab = try await TPMLab()
      let bus = try TPMBus(to: lab)
      // The TPM requests a retry of the first command with a PIN after a start.
      let first = TrustedPlatformModule(lab)
      #expect(try await first.signsCorrectly(with: first.createSigningKey(pin: "first"), pin: "first"))
      await first.release()

      let tpm = TrustedPlatformModule(bus)
      let key = try await tpm.createSigningKey(pin: pin.map { SecretBytes($0.utf8) })
      let session = pin == nil ? [] : ["StartAuthSession"]
      #expect(bus.takeNames() == ["CreatePrimary"] + session + ["Create", "FlushContext"])
      #expect(try await tpm.signsCorrectly(with: key, pin: pin))
      #expect(bus.takeNames() == ["CreatePrimary", "Load", "FlushContext", "Sign"])
      for _ in 0..<3 { #expect(try await tpm.signsCorrectly(with: key, pin: pin)) }
      #expect(bus.takeNames() == ["Sign", "Sign", "Sign"])
      let other = try await tpm.createSigningKey(pin: nil)
      #expect(bus.takeNames() == ["FlushContext", "CreatePrimary", "Create", "FlushContext"])
      #expect(try await tpm.signsCorrectly(with: other))
      #expect(bus.takeNames() == ["CreatePrimary", "Load", "FlushContext", "Sign"])
      await tpm.release()
      #expect(bus.takeNames() == (pin == nil ? ["FlushContext"] : ["FlushContext", "FlushContext"]))
    }

    @Test("never sends a PIN in plain, and a recorded signature command cannot be replayed")
    func secrecy() async throws {
      let lab = try await TPMLab()
      let bus = try TPMBus(to: lab)
      let tpm = TrustedPlatformModule(bus)
      let pin = "a PIN that is easy to find"
      let key = try await tpm.createSigningKey(pin: pin)
      #expect(try await tpm.signsCorrectly(with: key, pin: pin))
      let sent = bus.exchanges
      #expect(sent.contains { $0.code == Self.signCode } && sent.count >= 8)
      #expect(sent.contains { contains($0.command, Array(key.publicPoint[1..<33])) }, "the search is effective")
      for exchange in sent {
        #expect(!contains(exchange.command, Array(pin.utf8)) && !contains(exchange.answer, Array(pin.utf8)))
        #expect(!contains(exchange.command, Array(pin.utf8.prefix(6))))
      }
      let signed = try #require(sent.last { $0.code == Self.signCode })
      _ = bus.takeNames()
      bus.insert(signed.command)
      #expect(try await tpm.signsCorrectly(with: key, pin: pin))
      #expect(bus.insertedAnswers.count == 1)
      #expect(bus.insertedAnswers.first.map { responseCode($0) } != 0, "the nonce has changed")
    }

    @Test("loads a key or a session again that another program flushed", arguments: [nil, "1234"])
    func staleHandles(pin: String?) async throws {
      let lab = try await TPMLab()
      let bus = try TPMBus(to: lab)
      let tpm = TrustedPlatformModule(bus)
      let key = try await tpm.createSigningKey(pin: pin.map { SecretBytes($0.utf8) })
      #expect(try await tpm.signsCorrectly(with: key, pin: pin))
      let load = try #require(bus.exchanges.last { $0.code == Self.loadCode })
      let sign = try #require(bus.exchanges.last { $0.code == Self.signCode })
      let keyHandle = Array(load.answer[10..<14])
      // After the header and the key's handle comes the length of the authorizations, then the session's handle.
      let sessionHandle = Array(sign.command[18..<22])
      #expect(
        sessionHandle == [0x40, 0, 0, 0x09] || pin != nil && sessionHandle[0] == 0x02, "password or HMAC session")
      for handle in pin == nil ? [keyHandle] : [keyHandle, sessionHandle] {
        _ = bus.takeNames()
        bus.insert([0x80, 0x01, 0, 0, 0, 14, 0, 0, 0x01, 0x65] + handle)
        #expect(try await tpm.signsCorrectly(with: key, pin: pin))
        let names = bus.takeNames()
        #expect(names.filter { $0 == "Sign" }.count == 2 && names.contains("Load"), "\(names)")
        #expect(bus.insertedAnswers.last.map { responseCode($0) } == 0)
      }
      await tpm.release()
      #expect(try await lab.leftovers() == [])
    }

    @Test("modified responses cause typed errors and leave a usable connection")
    func hostileAnswers() async throws {
      let lab = try await TPMLab()
      let bus = try TPMBus(to: lab)
      let tpm = TrustedPlatformModule(bus)
      let key = try await tpm.createSigningKey(pin: "1234")
      #expect(try await tpm.signsCorrectly(with: key, pin: "1234"))
      let length = try #require(bus.exchanges.last { $0.code == Self.signCode }).answer.count
      var errors = 0
      for position in 10..<length {
        bus.changeAnswers { code, answer in
          var answer = answer
          if code == Self.signCode, position < answer.count { answer[position] ^= 0x41 }
          return answer
        }
        do {
          _ = try await tpm.signsCorrectly(with: key, pin: "1234")
        } catch is TPMError {
          errors += 1
        }
      }
      #expect(errors == length - 10, "the session authenticates every byte of a response")
      bus.changeAnswers { $1 }
      #expect(try await tpm.signsCorrectly(with: key, pin: "1234"))
      await tpm.release()
      #expect(try await lab.leftovers() == [])
    }

    @Test("modified responses to the other commands cause a typed error or a valid signature")
    func hostileSetup() async throws {
      let lab = try await TPMLab()
      let bus = try TPMBus(to: lab)
      let key = try await TrustedPlatformModule(lab).createSigningKey(pin: nil)
      let codes: [UInt32] = [0x131, 0x153, 0x157, 0x165, 0x176]
      var refused: [TPMError] = []
      var generator = SeededGenerator(seed: 1)
      for turn in 0..<200 {
        let chosen = codes[turn % codes.count]
        let place = Int.random(in: 6..<400, using: &generator)
        let mask = UInt8.random(in: 1...255, using: &generator)
        bus.changeAnswers { code, answer in
          var answer = answer
          if code == chosen, answer.count > 10 { answer[6 + (place - 6) % (answer.count - 6)] ^= mask }
          return answer
        }
        let tpm = TrustedPlatformModule(bus)
        do {
          _ = try await tpm.createSigningKey(pin: "1234")
          #expect(try await tpm.signsCorrectly(with: key))
        } catch let error as TPMError {
          refused.append(error)
        }
        await tpm.release()
        // A modified handle leaves its slot in use, which the bus causes.
        try await lab.restart()
      }
      // Wrong lengths end in a broken connection; the TSS, the connection or the TPM detects most others.
      let unavailable = refused.count { if case .unavailable = $0 { true } else { false } }
      #expect(refused.count > 100 && unavailable < 50, "\(refused.count) refused, \(unavailable) unavailable")
    }

    private func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
      bytes.count >= part.count && (0...bytes.count - part.count).contains { bytes[$0...].starts(with: part) }
    }

    private func responseCode(_ answer: [UInt8]) -> UInt32 { answer[6..<10].reduce(0) { $0 << 8 | UInt32($1) } }
  }
}
