import Foundation
import LabDevices
import Synchronization
import TesseraBridge
import TesseraHaptics
import TesseraJSON
import TesseraLinuxProviders
import TesseraService
import TestSupport
import Testing

extension HapticLab {
  @Suite("Each word plays exactly its pattern")
  struct Words {
    @Test("from the command line")
    func commandLine() async throws {
      try await HapticLab.whileTheMachineRuns {
        let device = try VirtualRumbleDevice()
        let user = try User()
        var worst = 0
        #expect(HapticLab.words.count == HapticWord.allCases.count)
        for (word, felt) in HapticLab.words {
          device.forgetEntries()
          let run = try await user.tessera(["haptic"] + word.description.split(separator: " ").map(String.init))
          #expect(run.status == 0 && run.errors.isEmpty, "\(word): \(run.errors)")
          worst = max(worst, HapticLab.check(device, felt: felt, "\(word)"))
          // The program has ended, and the kernel has erased its effects.
          #expect(await device.wait { $0.contains(where: HapticLab.isErase) })
          #expect(device.uploaded.isEmpty, "\(word)")
        }
        print("Words from the command line: at most \(worst) ms off")
      }
    }

    @Test("from Swift, uploading each effect once")
    func swift() async throws {
      try await HapticLab.whileTheMachineRuns {
        let device = try VirtualRumbleDevice()
        let player = try User().player()
        var worst = 0
        for round in 1...2 {
          var uploads = 0
          for (word, felt) in HapticLab.words {
            device.forgetEntries()
            let report = try await player.play(word.pattern)
            #expect(report.outcome == .complete && report.omissions.isEmpty && report.device?.path == device.path)
            worst = max(worst, HapticLab.check(device, felt: felt, "\(word)"))
            uploads += device.events.count(where: HapticLab.isUpload)
            #expect(!device.events.contains(where: HapticLab.isErase))
          }
          // The two repetitions of one pulse are one effect, and the effects of all words stay uploaded.
          #expect(uploads == (round == 1 ? 12 : 0))
          #expect(device.uploaded.count == 12)
        }
        print("Words from Swift: at most \(worst) ms off")
      }
    }

    @Test("through the bridge's router, which answers before the end of the effect")
    func bridge() async throws {
      try await HapticLab.whileTheMachineRuns {
        let device = try VirtualRumbleDevice()
        let registry = SdkProviderRegistry()
        let router = MessageRouter.withSystemProviders(registry: registry)
        let player = try User().player()
        registry.register { $0.haptic = EvdevHapticProvider(player: player) }
        #expect(try await Self.ask(router, "isAvailable", [:]) == true)
        var worst = 0
        for (word, felt) in HapticLab.words {
          let (method, key): (String, String) =
            switch word {
            case .impact: ("impact", "style")
            case .notification: ("notification", "type")
            case .selection: ("selection", "")
            }
          let value = String(word.description.split(separator: " ").last ?? "")
          for (method, parameters) in [
            (method, key.isEmpty ? JSONObject() : JSONObject([key: .string(value)])),
            ("trigger", JSONObject(["type": .string(value)])),
          ] {
            device.forgetEntries()
            #expect(try await Self.ask(router, method, parameters) == .null)
            let atAnswer = HapticLab.felt(device.entries).count
            if felt.count > 1 { #expect(atAnswer < felt.count, "\(word): the answer waited") }
            await registry.providers.haptic?.finish()
            worst = max(worst, HapticLab.check(device, felt: felt, "\(method) \(word)"))
          }
        }
        print("Words through the router: at most \(worst) ms off")
      }
    }

    @Test("over the service's socket")
    func service() async throws {
      try await HapticLab.whileTheMachineRuns {
        let device = try VirtualRumbleDevice()
        let user = try User()
        let socket = user.folder.file("run/bridge.sock")
        let service = try user.start(["serve", "--socket", socket])
        #expect(await service.wait { $0.output.hasPrefix("ready ") || !$0.isRunning }, "\(service.errors)")
        var worst = 0
        for (word, felt) in HapticLab.words {
          device.forgetEntries()
          let value = String(word.description.split(separator: " ").last ?? "")
          let request = BridgeRequest(
            id: UUID().uuidString, domain: .haptic, method: "trigger",
            parameters: BridgeParameters(["type": .string(value)]))
          guard case .answer(.success) = try await BridgeClient(socketPath: socket).call(request, onEvent: { _, _ in })
          else {
            Issue.record("\(word) was not answered")
            continue
          }
          guard await device.wait(until: { $0.count(where: HapticLab.isStart) == felt.count }) else {
            Issue.record("\(word) was not felt whole")
            break
          }
          worst = max(worst, HapticLab.check(device, felt: felt, "\(word)"))
        }
        service.send(signal: SIGTERM)
        #expect(await service.finish().status == 0)
        #expect(await device.wait { $0.contains(where: HapticLab.isErase) })
        #expect(device.uploaded.isEmpty)
        print("Words over the service's socket: at most \(worst) ms off")
      }
    }

    @Test("a command returns after the end of its effect")
    func call() async throws {
      try await HapticLab.whileTheMachineRuns {
        let device = try VirtualRumbleDevice()
        let run = try await User().tessera(["call", "haptic.trigger", #"{"type": "notificationError"}"#])
        #expect(run.status == 0 && run.output == "null\n", "\(run.errors)")
        HapticLab.check(device, felt: HapticLab.words.last?.felt ?? [], "call")
      }
    }

    @Test("plays custom patterns exactly")
    func freePattern() async throws {
      try await HapticLab.whileTheMachineRuns {
        let device = try VirtualRumbleDevice()
        let pattern = """
          [{"atMs": 0, "durationMs": 50, "strong": 1, "weak": 0}, {"atMs": 200, "durationMs": 100, "strong": 0, "weak": 1},
           {"atMs": 100, "durationMs": 10, "strong": 0, "weak": 0},
           {"atMs": 250, "durationMs": 300, "strong": 0.2, "weak": 0.4, "attackMs": 90}]
          """
        let run = try await User().tessera(["haptic", "play", "-"], input: pattern)
        #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
        HapticLab.check(
          device,
          felt: [
            PlayedEffect(0, strong: 0xFFFF, weak: 0, 50), PlayedEffect(200, strong: 0, weak: 0xFFFF, 100),
            PlayedEffect(250, strong: 0x0CCD, weak: 0x199A, 30), PlayedEffect(280, strong: 0x199A, weak: 0x3333, 30),
            PlayedEffect(310, strong: 0x2666, weak: 0x4CCD, 30), PlayedEffect(340, strong: 0x3333, weak: 0x6666, 210),
          ], "free")
      }
    }

    private static func ask(
      _ router: MessageRouter, _ method: String, _ parameters: JSONObject
    ) async throws -> JSONValue? {
      let request: JSONValue = [
        "type": "request", "version": 1, "id": "f4a45cbb-a892-49ba-884e-dbb8d9be383c", "domain": "haptic",
        "method": .string(method), "params": .object(parameters), "timestamp": 1,
      ]
      let answer = Mutex<JSONValue?>(nil)
      await router.route(request.text, from: .local) { message in
        if case .response(_, _, let outcome) = message { answer.withLock { $0 = try? outcome.get() } }
      }
      return answer.withLock { $0 }
    }
  }
}
