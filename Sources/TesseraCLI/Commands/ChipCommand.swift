import ArgumentParser
import Foundation
import Tessera

struct ChipCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "chip", abstract: "The software passport chip.",
    discussion: """
      Example:
        tessera chip run --profile bac
      """, subcommands: [Run.self, Profiles.self, TerminalRights.self])

  struct Run: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Puts the software chip into a virtual PC/SC reader, until Ctrl-C.",
      discussion: """
        The reader is vsmartcard's vpcd, a driver of pcscd: apt-get install pcscd vsmartcard-vpcd

        Examples:
          tessera chip run
          tessera chip run --files dump --vpcd 127.0.0.1:35963
        """)

    @Option(help: ArgumentHelp("How the chip behaves; see `tessera chip profiles`.", valueName: "name"))
    var profile = ChipProfile.bac.name

    @Option(help: ArgumentHelp("Serve the elementary files of this folder instead of the specimen.", valueName: "dir"))
    var files: String?

    @Option(help: ArgumentHelp("Where vpcd listens.", valueName: "host:port"))
    var vpcd = "127.0.0.1:35963"

    @Option(help: ArgumentHelp("Time that each command takes, as with a real chip.", valueName: "milliseconds"))
    var latency = 0

    func validate() throws {
      if !(0...10_000).contains(latency) { throw ValidationError("--latency is 0 to 10000 milliseconds.") }
    }

    func run() async throws {
      let chosen = try ChipOptions.profile(profile)
      let documents = try ChipOptions.files(files, chosen)
      _ = try Chip(profile: chosen, files: documents)  // a document that cannot be served is told before connecting
      let (host, port) = try address()
      let connection = try VPCDConnection(host: host, port: port)
      try StandardOutput.write(
        "The card is in the virtual reader at \(vpcd): profile \(chosen.name), files \(Self.names(documents)).")
      if files == nil, let zone = try documents[.dg1].map(DataGroup1.init)?.zone {
        try StandardOutput.write("Read it with: tessera passport read --mrz '\(zone.text)'")
      }
      do {
        try await Interruption.cancelling {
          try await connection.serve(
            try Chip(profile: chosen, files: documents), latency: .milliseconds(latency))
        }
      } catch is CancellationError {
        return  // Ctrl-C takes the card out
      }
      throw Failure(
        .noReader, "The virtual reader at \(vpcd) went away.", remedy: "See that pcscd is still running.")
    }

    private func address() throws -> (String, UInt16) {
      guard let colon = vpcd.lastIndex(of: ":"), let port = UInt16(vpcd[vpcd.index(after: colon)...]),
        colon > vpcd.startIndex
      else { throw Failure(.usage, "--vpcd wants HOST:PORT.", remedy: "For example 127.0.0.1:35963.") }
      return (String(vpcd[..<colon]), port)
    }

    private static func names(_ files: ChipFiles) -> String { files.all.map(\.name).joined(separator: ", ") }
  }

  struct TerminalRights: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "terminal",
      abstract: "Writes the right to read the specimens' fingers and irises, for trying --terminal.",
      discussion: """
        Two CV certificates and a private key that everybody knows; no real document trusts them.

        Example:
          tessera chip terminal rights && tessera passport read --virtual all --terminal rights
        """)

    @Argument(help: "The folder to write.")
    var folder: String

    func run() throws {
      let terminal = try SpecimenTerminal()
      let names = ["document-verifier.cvcert", "terminal.cvcert"]
      try DumpFolder(path: folder).prepare()
      let url = URL(fileURLWithPath: folder, isDirectory: true)
      for (name, bytes) in zip(names, terminal.certificates) + [("terminal.pkcs8", terminal.privateKey)] {
        try PrivateFile.write(bytes, to: url.appendingPathComponent(name))
      }
    }
  }

  struct Profiles: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Lists the profiles of the software chip.",
      discussion: """
        Those named after countries have the algorithms of a real document; holder and issuer are invented.

        Examples:
          tessera chip profiles
          tessera chip profiles --json
        """)

    @Flag(help: "Machine-readable output.")
    var json = false

    func run() throws {
      if json { return try StandardOutput.write(ProfileList().json()) }
      let width = (ChipProfile.all.map(\.name.count).max() ?? 0) + 2
      for profile in ChipProfile.all {
        try StandardOutput.write(
          profile.name.padding(toLength: width, withPad: " ", startingAt: 0) + profile.summary)
      }
    }
  }
}

/// The profiles as `--json` shows them.
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

  let profiles = ChipProfile.all.map { profile in
    Entry(
      name: profile.name, summary: profile.summary, access: profile.access, chipAuthenticity: profile.authenticity,
      extendedLength: profile.announcesExtendedLength, responseLimit: profile.responseLimit,
      ldsVersion: profile.ldsVersion, isFaulty: ChipProfile.faulty.contains(profile))
  }

  func json() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(self), as: UTF8.self)
  }
}
