public import Failures

/// The systemd units of a user's service: one socket that starts it when a program connects, and the service in a
/// sandbox of what its devices leave possible.
public struct ServiceUnits: Sendable, Equatable {
  public static let socketName = "tessera.socket"
  public static let serviceName = "tessera.service"

  /// The program, by its absolute path.
  public let program: String
  /// What follows `tessera serve`.
  public let arguments: [String]
  /// Where the service keeps things, by absolute paths: all else is read-only to it.
  public let writableFolders: [String]
  /// What the user's service manager does not tell it, by name.
  public let environment: [String: String]
  /// Whether it starts with the session; a socket starts it only when a program connects, and a page cannot.
  public let startsWithSession: Bool

  /// - Throws: `Failure` of the kind `usage` for a word with a line end or another control character: it would begin a
  ///   setting of its own.
  public init(
    program: String, arguments: [String], writableFolders: [String], environment: [String: String] = [:],
    startsWithSession: Bool
  ) throws(Failure) {
    let words = [program] + arguments + writableFolders + environment.flatMap { [$0.key, $0.value] }
    guard words.allSatisfy({ $0.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control } }) else {
      throw Failure(
        .usage, "A path or a setting of the service has a line end or another control character in it.",
        remedy: "Give folders whose names have none; XDG_DATA_HOME and XDG_CONFIG_HOME name them, too.")
    }
    self.program = program
    self.arguments = arguments
    self.writableFolders = writableFolders
    self.environment = environment
    self.startsWithSession = startsWithSession
  }

  public var socket: String {
    """
    [Unit]
    Description=Socket of the Tessera device service

    [Socket]
    ListenStream=%t/tessera/bridge.sock
    SocketMode=0600
    DirectoryMode=0700

    [Install]
    WantedBy=sockets.target

    """
  }

  public var service: String {
    let command = ([program, "serve"] + arguments).map { Self.quoted($0, isCommand: true) }.joined(separator: " ")
    // One that is not there does not keep the service from its other duties.
    let folders = (["%t/tessera"] + writableFolders.map { Self.quoted($0) }).map { "ReadWritePaths=-\($0)" }
    let variables = environment.sorted { $0.key < $1.key }.map { "Environment=\(Self.quoted("\($0.key)=\($0.value)"))" }
    let install = startsWithSession ? "\n[Install]\nWantedBy=default.target\n" : ""
    return """
      [Unit]
      Description=Tessera device service
      Requires=tessera.socket
      After=tessera.socket

      [Service]
      Type=notify
      \((["ExecStart=\(command)"] + variables).joined(separator: "\n"))
      Restart=on-failure
      UMask=0077
      LimitNOFILE=4096
      LimitCORE=0

      # Readers and gamepads (/dev), pcscd, the TPM and the session's bus stay within reach, and what pinentry needs of
      # the desktop in /tmp. A user's manager may set up the rest in a user namespace only; ProtectClock= would close /dev.
      NoNewPrivileges=yes
      PrivateUsers=yes
      ProtectSystem=strict
      ProtectHome=read-only
      \(folders.joined(separator: "\n"))
      ProtectKernelTunables=yes
      ProtectKernelModules=yes
      ProtectKernelLogs=yes
      ProtectControlGroups=yes
      ProtectHostname=yes
      LockPersonality=yes
      MemoryDenyWriteExecute=yes
      RestrictNamespaces=yes
      RestrictRealtime=yes
      RestrictSUIDSGID=yes
      CapabilityBoundingSet=
      # Netlink tells what is plugged in, and whose a connection over loopback is.
      RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
      SystemCallArchitectures=native
      SystemCallFilter=@system-service
      SystemCallErrorNumber=EPERM
      \(install)
      """
  }

  /// A word as systemd reads it (systemd.service(5), "Command lines"; systemd.unit(5), "Specifiers"). In a command line
  /// alone a dollar sign stands for a variable.
  static func quoted(_ word: String, isCommand: Bool = false) -> String {
    var text = String.UnicodeScalarView()
    // One by one: a mark that follows a quotation mark makes one character of both.
    for scalar in word.unicodeScalars {
      if scalar == "\\" || scalar == "\"" { text.append("\\") }
      if scalar == "%" || (isCommand && scalar == "$") { text.append(scalar) }
      text.append(scalar)
    }
    let isPlain = word.unicodeScalars.allSatisfy { scalar in
      scalar.isASCII && Character(scalar).isLetter || ("0"..."9").contains(scalar)
        || "-_./:=,@[]".unicodeScalars.contains(scalar)
    }
    return isPlain && !word.isEmpty ? word : "\"\(String(text))\""
  }
}
