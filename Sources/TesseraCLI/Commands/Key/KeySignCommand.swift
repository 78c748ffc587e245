import ArgumentParser
import Foundation
import Tessera

extension KeyCommand {
  struct Sign: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Signs a file with ECDSA and SHA-256.",
      discussion: """
        Forms: der (what `openssl dgst -verify` reads); raw (r and s, 64 bytes); base64 (the DER form in one line); \
        jws (compact, ES256, with the input in it). The input may be larger than memory.

        Examples:
          tessera key sign release tessera.tar -o tessera.tar.sig
          tessera key sign release --format base64 < tessera.tar
        """)

    @Argument(help: "What the key is called.") var name: String
    @Argument(help: ArgumentHelp("What to sign; - for standard input.", valueName: "file|-")) var file = "-"
    @OptionGroup(title: "Where") var store: KeyStoreOptions
    @Option(help: "The form: der, raw, base64, jws.") var format = SignatureFormat.der
    @Option(name: .shortAndLong, help: ArgumentHelp("Write the signature to this file.", valueName: "file"))
    var output: String?

    func run() async throws {
      if format == .der || format == .raw {
        try OutputFile.checkNoTerminal(output, remedy: "Give -o FILE, or --format base64.")
      }
      guard file != "-" || store.passphraseFd != STDIN_FILENO else {
        throw Failure(
          .usage, "Standard input cannot be both the input and the passphrase.",
          remedy: "Name the input, or give the passphrase on another descriptor.")
      }
      let name = try store.name(name)
      let keys = try store.existing()
      let (input, format, output) = (InputFile(path: file), format, output)
      try await Interruption.cancelling {
        // Before a large input is read in vain.
        _ = try await keys.key(name)
        let result = try OutputFile(output)
        if format == .jws {
          var writer = try JSONWebSignature.Writer()
          try input.forEachPiece { try result.write(try writer.encode($0)) }
          let (text, digest) = try writer.finish()
          let signature = try await keys.sign(digest: digest, with: name)
          try result.write(text + JSONWebSignature.ending(signature))
        } else {
          let digest = try RunningDigest(.sha256)
          try input.forEachPiece { try digest.update($0) }
          let signature = try await keys.sign(digest: try digest.finish(), with: name)
          try result.write(try format.encode(signature))
        }
        try result.finish()
      }
    }
  }
}
