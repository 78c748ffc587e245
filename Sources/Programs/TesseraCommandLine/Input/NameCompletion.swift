package import ArgumentParser
import Dispatch
import FoundationEssentials
internal import Tessera
internal import TesseraGrants
internal import TesseraThreads

/// The names that a shell offers as the value of an argument. The script of the shell asks the program for them: see
/// `Completions` of `tessera`.
///
/// A user who presses Tab waits for the answer, and sees nothing but names. So each answer has a time limit, asks for no
/// secret, waits for no device, and is empty after an error.
package enum NameCompletion {
  /// The profiles of the virtual chip.
  package static var profiles: CompletionKind { kind { _ in ChipProfile.named.map(\.name) } }

  /// The PC/SC readers that are connected.
  package static var readers: CompletionKind { kind { _ in await Readers.names(within: limit) } }

  /// The keys of the stores that list theirs without a secret: those of the origin that the line names, else the local ones.
  package static var keys: CompletionKind {
    kind { words in
      let origin = words.indices.last { words[$0] == "--origin" }.flatMap { words.dropFirst($0 + 1).first }
      let owner: Caller = try origin.map { .web(origin: try WebOrigin(named: $0).canonical) } ?? .local
      var names: [String] = []
      for store in KeyStores.ownStores {
        let keys = try? await KeyStores.store(store, newKeys: .passphrase, secrets: NoSecrets()).keys()
        names += (keys ?? []).map(\.name).filter { $0.owner == owner }.map(\.name)
      }
      return names
    }
  }

  /// The web origins that have a grant or a denial.
  package static var origins: CompletionKind { kind { _ in try grantedOrigins().filter { $0 != "local" } } }

  /// The same, and the name of the local user's programs.
  package static var owners: CompletionKind { kind { _ in try grantedOrigins() + ["local"] } }

  private static func grantedOrigins() throws -> [String] {
    try GrantsFile.read(GrantsFile.standardPath(ProcessInfo.processInfo.environment)).map(\.name)
  }

  /// How long an answer may take.
  private static let limit = Duration.seconds(1)

  private struct NoSecrets: SecretPrompting {
    func ask(_ prompt: SecretPrompt, hint: String?) async throws -> SecretBytes? { nil }
  }

  private static func kind(_ names: @escaping @Sendable ([String]) async throws -> [String]) -> CompletionKind {
    .custom { words, _, _ in
      let found = Locked<[String]>([])
      let isDone = DispatchSemaphore(value: 0)
      // The parser is not asynchronous. A call into a hanging service may never return, so nobody waits for its end.
      Task.detached {
        let names = (try? await names(words)) ?? []
        found.withLock { $0 = names }
        isDone.signal()
      }
      _ = isDone.wait(timeout: .now() + .seconds(Int(limit.components.seconds)))
      return offered(found.withLock { $0 })
    }
  }

  private static let signs = Set(" -_./:@+=,()[]".unicodeScalars)

  /// The names in the form in which the scripts of the shell take them.
  ///
  /// bash expands what it gets (`compgen -W`): a name with a dollar sign or a back quote would be run as a command.
  package static func offered(_ names: [String], to shell: CompletionShell? = .requesting) -> [String] {
    let plain = Set(names).sorted().filter { name in
      !name.isEmpty && !name.hasPrefix("-")
        // Each scalar: a character can begin with a letter and contain a dollar sign.
        && name.unicodeScalars.allSatisfy {
          $0.properties.isAlphabetic || ("0"..."9").contains($0) || signs.contains($0)
        }
    }
    // What follows a colon is a description in zsh.
    return shell == .zsh ? plain.map { $0.replacing(":", with: "\\:") } : plain
  }
}
