internal import ArgumentParser
package import Tessera

/// Whose requests the password of the account may answer, where there is no finger.
package struct PasswordOptions: ParsableArguments {
  package init() {}

  @Flag(
    help:
      "Where there is no fingerprint reader or no enrolled finger, ask for the account's password: for local programs."
  )
  package var allowPassword = false

  @Flag(help: "The same, for web pages too.")
  package var allowPasswordForPages = false

  package var fallback: PasswordFallback {
    allowPasswordForPages ? .everyone : allowPassword ? .localPrograms : .nobody
  }

  /// The options as arguments.
  package var arguments: [String] {
    switch fallback {
    case .nobody: []
    case .localPrograms: ["--allow-password"]
    case .everyone: ["--allow-password-for-pages"]
    }
  }
}
