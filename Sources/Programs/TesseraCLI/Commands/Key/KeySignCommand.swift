import ArgumentParser
import Glibc
import Tessera
import TesseraCommandLine

extension KeyCommand {
  struct Sign: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "sign",
      abstract: "Signs a file with ECDSA and SHA-256.",
      discussion: """
        Formats: der (as `openssl dgst -verify` expects); raw (r and s, 64 bytes); base64 (DER in one line); jws \
        (compact, ES256, with the input as payload). The input may be larger than memory.

        Examples:
          tessera key sign release tessera.tar -o tessera.tar.sig
          tessera key sign release --format base64 < tessera.tar
        """)

    @Argument(help: "The name of the key.", completion: NameCompletion.keys) var name: String
    @Argument(help: ArgumentHelp("The file to sign; - for standard input.", valueName: "file|-"), completion: .file())
    var file = "-"
    @OptionGroup(title: "Key store") var store: KeyStoreOptions
    @Option(help: "The format: der, raw, base64 or jws.") var format = SignatureFormat.der
    @Option(
      name: .shortAndLong, help: ArgumentHelp("Write the signature to this file.", valueName: "file"),
      completion: .file())
    var output: String?

    func run() async throws {
      if format == .der || format == .raw {
        try OutputFile.checkNoTerminal(output, remedy: "Use -o FILE, or --format base64.")
      }
      guard file != "-" || store.passphraseFd != STDIN_FILENO else {
        throw Failure(
          .usage, "Standard input cannot provide both the input and the passphrase.",
          remedy: "Specify the input file, or use another descriptor for the passphrase.")
      }
      try DistinctFiles.check(outputs: [output], inputs: [file, DistinctFiles.keys])
      let name = try store.name(name)
      let keys = try store.existing()
      let (input, format, output) = (InputFile(path: file), format, output)
      try await Interruption.cancelling {
        // Reports a missing key before a large input is read.
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
