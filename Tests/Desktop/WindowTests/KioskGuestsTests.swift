import Foundation
import TestSupport
import Testing
import WindowTestSupport

extension RealPrograms {
  /// One guest after the other at a kiosk to which something happens each time. Some guests for every change;
  /// `TESSERA_KIOSK_GUESTS` is their number in the long run.
  @Suite("The guests of a kiosk")
  struct KioskGuestsTests {
    static let guests = ProcessInfo.processInfo.environment["TESSERA_KIOSK_GUESTS"].flatMap(Int.init) ?? 5

    /// What happens to one guest, in the order of the guests.
    enum Fault: CaseIterable {
      /// The process of the page is killed before the guest types.
      case deadPage
      /// The server is away, and comes back for the next guest.
      case serverAway
      /// The program is killed when the guest has the verdict.
      case deadProgram
      /// The disk has no space, and has space again for the next guest.
      case fullDisk
      /// The program is killed when the server has the result, and the program does not know that.
      case deadDelivery
      /// The server is away, and the program is killed meanwhile.
      case serverAwayAndDeadProgram
      case fullDiskAndServerAway
      /// The program is killed when the disk has not taken the result.
      case fullDiskAndDeadProgram
      case nothing

      var isDiskFull: Bool { [.fullDisk, .fullDiskAndServerAway, .fullDiskAndDeadProgram].contains(self) }
      var isServerAway: Bool { [.serverAway, .serverAwayAndDeadProgram, .fullDiskAndServerAway].contains(self) }
    }

    @Test(
      "each has a verdict and one result, which reaches the server once by its key, whatever is killed, full or away",
      .enabled(if: SmallDisk.isEnabled, "\(SmallDisk.unavailableReason ?? "")"))
    func guestsAsRoot() async throws {
      var kiosk = try await KioskLab()
      defer { SmallDisk.unmount(kiosk.disk) }
      var departures = 0
      for number in 0..<Self.guests {
        let fault = Fault.allCases[number % Fault.allCases.count]
        // What is removed after its delivery would make space, and the held request is that of this guest.
        if fault.isDiskFull || fault == .deadDelivery {
          try await eventually("The delivery") { try kiosk.isOutboxEmpty }
        }
        if fault.isServerAway {
          await kiosk.desk.goAway()
          departures += 1
        }
        if fault.isDiskFull { try SmallDisk.fill(kiosk.disk) }
        if fault == .deadPage { try await kiosk.killPage() }
        if fault == .deadDelivery { try kiosk.hold() }
        let refusals = kiosk.refusals
        // Also on a full disk.
        try await kiosk.read()
        if fault.isDiskFull {
          try await eventually("The refusal of the disk") { kiosk.refusals > refusals }
          #expect(kiosk.stored.count == number)
          if fault == .fullDiskAndDeadProgram { try await kiosk.killProgram() }
          try SmallDisk.makeSpace(kiosk.disk)
        }
        switch fault {
        case .deadProgram, .serverAwayAndDeadProgram:
          try await kiosk.killProgram()
          // Before the guest had the verdict.
          #expect(kiosk.stored.count == number + 1)
        case .deadDelivery:
          try await eventually("The request") {
            Set(await kiosk.desk.requests(number + 1).map(Self.key)) == kiosk.stored
          }
          try await kiosk.killProgram()
          try kiosk.answer()
        case .fullDiskAndDeadProgram: break
        default: try await kiosk.window.leaveVerdict()
        }
        // By itself on a disk that was full.
        try await eventually("The storage") { kiosk.stored.count == number + 1 }
        if fault.isServerAway {
          #expect(try !kiosk.isOutboxEmpty)
          try await kiosk.desk.comeBack()
        }
      }
      try await eventually("The last delivery") { try kiosk.isOutboxEmpty }
      let requests = await kiosk.desk.requests(Self.guests)
      let bodies = Dictionary(grouping: requests, by: Self.key).mapValues { Set($0.map { $0["body"].text }) }
      #expect(bodies.count == Self.guests)
      #expect(Set(bodies.keys) == kiosk.stored)
      // What comes again is the same, and comes again only where the kiosk could not know that it was there.
      #expect(bodies.values.allSatisfy { $0.count == 1 })
      #expect(requests.count <= Self.guests + kiosk.kills + departures)
      #expect(await kiosk.stop().status == 128 + SIGTERM)
      try await verify(requests, kiosk)
    }

    private static func key(_ request: Vector) -> String {
      request["headers"]["idempotency-key"].text.filter { $0 != "\"" }
    }

    /// Each is signed by the key of the kiosk, which no death has changed.
    private func verify(_ requests: [Vector], _ kiosk: KioskLab) async throws {
      let home = kiosk.window.home
      let key = try await ProgramRun.tessera(["key", "public", "kiosk"], environment: kiosk.window.environment)
      try Data(key.output.utf8).write(to: URL(fileURLWithPath: home.file("kiosk.pem")))
      for request in requests {
        let signature = try #require(Data(base64Encoded: request["headers"]["tessera-signature"].text))
        try signature.write(to: URL(fileURLWithPath: home.file("signature")))
        try Data(request["body"].text.utf8).write(to: URL(fileURLWithPath: home.file("result")))
        #expect(
          ProgramRun.succeeds(
            "/usr/bin/openssl",
            [
              "dgst", "-sha256", "-verify", home.file("kiosk.pem"), "-signature", home.file("signature"),
              home.file("result"),
            ]))
      }
    }
  }
}
