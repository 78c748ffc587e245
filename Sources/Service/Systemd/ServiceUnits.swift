/// The systemd units of a user's service: one socket that starts it when a program connects, and the service in a
/// sandbox of what its devices leave possible.
public struct ServiceUnits: Sendable, Equatable {
  public static let socketName = "tessera.socket"
  public static let serviceName = "tessera.service"

  /// The program, by its absolute path.
  public var program: String
  /// What follows `tessera serve`.
  public var arguments: [String]
  /// Where the service keeps things, by absolute paths: all else is read-only to it.
  public var writableFolders: [String]
  /// What the user's service manager does not tell it, by name.
  public var environment: [String: String]
  /// Whether it starts with the session; a socket starts it only when a program connects, and a page cannot.
  public var startsWithSession: Bool

  public init(
    program: String, arguments: [String], writableFolders: [String], environment: [String: String] = [:],
    startsWithSession: Bool
  ) {
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
    let command = ([program, "serve"] + arguments).map(Self.quoted).joined(separator: " ")
    // One that is not there does not keep the service from its other duties.
    let folders = (["%t/tessera"] + writableFolders.map(Self.quoted)).map { "ReadWritePaths=-\($0)" }
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

  /// A word of a command line as systemd reads it (systemd.service(5), "Command lines"; systemd.unit(5), "Specifiers").
  static func quoted(_ word: String) -> String {
    var text = ""
    for character in word {
      switch character {
      case "\\", "\"": text += "\\\(character)"
      case "%", "$": text += "\(character)\(character)"
      default: text.append(character)
      }
    }
    let isPlain = !word.isEmpty && word.allSatisfy { $0.isLetter || $0.isNumber || "-_./:=,@[]".contains($0) }
    return isPlain ? text : "\"\(text)\""
  }
}
