import ArgumentParser
import FoundationEssentials
import Tessera
import TesseraCommandLine

struct ChipCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "chip", abstract: "Runs the virtual passport chip, and makes seals of its country.",
    discussion: """
      Example:
        tessera chip run --profile bac
      """, subcommands: [Run.self, Profiles.self, Seal.self, TerminalRights.self])

  struct Run: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "run",
      abstract: "Inserts the virtual chip into a virtual PC/SC reader until Ctrl-C.",
      discussion: """
        The reader is vpcd, a pcscd driver of the vsmartcard project: apt-get install pcscd vsmartcard-vpcd

        Examples:
          tessera chip run
          tessera chip run --files dump --vpcd 127.0.0.1:35963
        """)

    @Option(
      help: ArgumentHelp("The chip's profile; `tessera chip profiles` lists them.", valueName: "name"),
      completion: NameCompletion.profiles)
    var profile = ChipProfile.bac.name

    @Option(
      help: ArgumentHelp("Use the elementary files in this folder instead of the specimen's.", valueName: "dir"),
      completion: .directory)
    var files: String?

    @Option(help: ArgumentHelp("The address at which vpcd listens.", valueName: "host:port"))
    var vpcd = "127.0.0.1:35963"

    @Option(help: ArgumentHelp("The delay before each response, as with a real chip.", valueName: "milliseconds"))
    var latency = 0

    func validate() throws {
      if !(0...10_000).contains(latency) { throw ValidationError("--latency must be 0 to 10000 milliseconds.") }
    }

    func run() async throws {
      let chosen = try ChipOptions.profile(profile)
      let documents = try ChipOptions.files(files, chosen)
      _ = try Chip(profile: chosen, files: documents)  // reports unusable files before connecting
      let (host, port) = try address()
      let connection = try VPCDConnection(host: host, port: port)
      try StandardOutput.write(
        "The card is in the virtual reader at \(vpcd): profile \(chosen.name), files \(Self.names(documents)).")
      if files == nil, let zone = try documents[.dg1].map(DataGroup1.init)?.zone.get() {
        try StandardOutput.write("Read it with: tessera passport read --mrz '\(zone.text)'")
      }
      do {
        try await Interruption.cancelling {
          try await connection.serve(
            try Chip(profile: chosen, files: documents), latency: .milliseconds(latency))
        }
      } catch is CancellationError {
        // A signal removes the card.
        return try Interruption.endRegularly(after: Interruption.signalNumber)
      }
      throw Failure(
        .noReader, "The virtual reader at \(vpcd) closed the connection.", remedy: "Check that pcscd is running.")
    }

    private func address() throws -> (String, UInt16) {
      guard let colon = vpcd.lastIndex(of: ":"), let port = UInt16(vpcd[vpcd.index(after: colon)...]),
        colon > vpcd.startIndex
      else { throw Failure(.usage, "--vpcd requires HOST:PORT.", remedy: "For example: --vpcd 127.0.0.1:35963") }
      return (String(vpcd[..<colon]), port)
    }

    private static func names(_ files: ChipFiles) -> String { files.all.map(\.name).joined(separator: ", ") }
  }

  struct TerminalRights: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "terminal",
      abstract: "Writes terminal certificates that let --terminal read the specimen's fingerprints and irises.",
      discussion: """
        Writes two CV certificates and a private key. The key is public: no real document trusts it.

        Example:
          tessera chip terminal rights
          tessera passport read --virtual all --terminal rights
        """)

    @Argument(help: "The folder to write to.", completion: .directory)
    var folder: String

    func run() throws {
      let terminal = try SpecimenTerminal()
      let names = ["document-verifier.cvcert", "terminal.cvcert"]
      try PrivateFile.prepareFolder(folder)
      let url = URL(fileURLWithPath: folder, isDirectory: true)
      for (name, bytes) in zip(names, terminal.certificates) + [("terminal.pkcs8", terminal.privateKey)] {
        try PrivateFile.write(bytes, to: url.appendingPathComponent(name))
      }
      OutputFile.tell(folder)
    }
  }

  struct Profiles: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "profiles",
      abstract: "Lists the profiles of the virtual chip.",
      discussion: """
        A profile with the name of a country has the algorithms of that country's document. Holder and issuer are \
        fictitious.

        Examples:
          tessera chip profiles
          tessera chip profiles --json
        """)

    @Flag(help: "Print one JSON object.")
    var json = false

    func run() throws {
      if json { return try StandardOutput.write(ProfileList().json()) }
      let width = (ChipProfile.named.map(\.name.count).max() ?? 0) + 2
      for profile in ChipProfile.named {
        try StandardOutput.write(
          profile.name.padded(to: width) + profile.summary)
      }
    }
  }
}

/// The JSON output of `chip profiles`.
private struct ProfileList: Encodable {
  struct Entry: Encodable {
    let name: String
    let summary: String
    let access: [String]
    let chipAuthenticity: [String]
    let extendedLength: Bool
    let responseLimit: Int
    let ldsVersion: String
    let isFaulty: Bool
  }

  let profiles = ChipProfile.named.map { profile in
    Entry(
      name: profile.name, summary: profile.summary, access: profile.access, chipAuthenticity: profile.authenticity,
      extendedLength: profile.announcesExtendedLength, responseLimit: profile.responseLimit,
      ldsVersion: profile.ldsVersion, isFaulty: (ChipProfile.faulty + ChipProfile.deviating).contains(profile))
  }

  func json() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(self), as: UTF8.self)
  }
}
