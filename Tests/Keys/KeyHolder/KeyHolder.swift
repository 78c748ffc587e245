import Foundation
import TesseraCore
import TesseraDurableFiles
import TesseraKeys

/// A long-running program that uses keys, for tests that inspect or kill its process.
///
/// `KeyHolder STORE PATH`, with the secret on descriptor 3. Each line of standard input is a command: `sign NAME`,
/// `sign NAME COUNT`, `generate NAME`, `churn NAME`, which generates and deletes the key endlessly and
/// prints a line for each state, or `replace NAME`, which replaces it endlessly. The response to the other commands is one line.
@main
struct KeyHolder {
  static func main() async throws {
    let store = try KeyStores.store(
      CommandLine.arguments[1], newKeys: .secretServiceOrKeyFile, secrets: Descriptor(), path: CommandLine.arguments[2])
    print("ready")
    fflush(nil)
    while let line = readLine() {
      let words = line.split(separator: " ").map(String.init)
      do {
        print(try await answer(words, store))
      } catch {
        print("error: \(Failure(error).cause)")
      }
      fflush(nil)
    }
  }

  private static func answer(_ words: [String], _ store: any KeyStore) async throws -> String {
    let name = try KeyName(words[1])
    switch words[0] {
    case "churn":
      while true {
        _ = try await store.generate(name, confirmation: .always, replacing: false)
        print("made")
        fflush(nil)
        _ = try await store.generate(name, confirmation: .always, replacing: true)
        try await store.delete(name)
        print("deleted")
        fflush(nil)
      }
    case "replace":
      while true {
        _ = try await store.generate(name, confirmation: .never, replacing: true)
        print("made")
        fflush(nil)
      }
    case "generate": return try await store.generate(name, confirmation: .never, replacing: true).name.name
    default:
      let digest = [UInt8](repeating: 7, count: 32)
      let count = words.count > 2 ? Int(words[2]) ?? 1 : 1
      let start = ContinuousClock.now
      for _ in 0..<count { _ = try await store.sign(digest: digest, with: name) }
      let seconds = start.duration(to: .now) / .seconds(1)
      return "\(count) signatures, \(Int(Double(count) / seconds)) a second"
    }
  }
}

struct Descriptor: SecretPrompting {
  func ask(_ prompt: SecretPrompt, hint: String?) async throws -> SecretBytes? {
    SecretBytes(reading: 3, upTo: 256, endsAtLine: true)
  }
}
