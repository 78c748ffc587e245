/// A variable of the environment or a file, and the commands that it concerns.
struct ManualEntry: Sendable {
  let name: String
  let text: String
  /// Names of pages. Each stands for the pages below it, too: `tessera-key` for `tessera-key-sign`.
  let pages: [String]

  func concerns(_ page: String) -> Bool { pages.contains { page == $0 || page.hasPrefix($0 + "-") } }

  private static let all = ["tessera"]
  /// Programs and pages with access to the devices and stores of this machine.
  private static let bridge = ["tessera-call", "tessera-serve", "tessera-open", "tessera-window", "tessera-flow-run"]
  private static let keys = ["tessera-key"] + bridge
  private static let examining = ["tessera-doctor", "tessera-setup"]
  private static let judging = ["tessera-passport", "tessera-trust", "tessera-inspect"] + bridge
  private static let data = keys + judging + examining + ["tessera-storage", "tessera-haptic", "tessera-passage"]
  private static let readers = ["tessera-readers", "tessera-passport-read", "tessera-fleet-read"] + bridge
  private static let downloading = [
    "tessera-trust-import", "tessera-trust-check", "tessera-passport", "tessera-inspect", "tessera-strings",
    "tessera-flow",
  ]

  static let environment: [ManualEntry] = [
    ManualEntry(
      name: "DBUS_SESSION_BUS_ADDRESS", text: "The bus of the session, on which the desktop's keyring is.",
      pages: keys + examining + ["tessera-storage"]),
    ManualEntry(
      name: "GIO_USE_POWER_PROFILE_MONITOR",
      text: """
        From where pages learn of power saving. Without it: `dbus`, from where pages in the sandbox learn nothing. With \
        `portal`, they ask xdg-desktop-portal.
        """, pages: ["tessera-open", "tessera-window", "tessera-flow-run"]),
    ManualEntry(
      name: "LANGUAGE",
      text: "The languages of texts, before those of `LC_ALL`, `LC_MESSAGES` and `LANG`.",
      pages: ["tessera-strings", "tessera-flow-run"]),
    ManualEntry(
      name: "LC_MONETARY",
      text: "The locale whose currency a flow has. `LC_ALL` comes before it, and `LANG` behind it.",
      pages: ["tessera-flow-run"]),
    ManualEntry(
      name: "LC_NUMERIC",
      text: "The locale of the separators in fields for numbers. `LC_ALL` comes before it, and `LANG` behind it.",
      pages: ["tessera-flow-run"]),
    ManualEntry(
      name: "LIBNFC_AUTO_SCAN",
      text: "Whether libnfc looks for devices: `yes` or `no`. Without it, libnfc.conf says so.",
      pages: readers),
    ManualEntry(
      name: "LIBNFC_DEFAULT_DEVICE", text: "A libnfc device besides those that libnfc.conf names.", pages: readers),
    ManualEntry(
      name: "LIBNFC_DEVICE",
      text: "The libnfc device to use instead of those that `LIBNFC_DEFAULT_DEVICE` and libnfc.conf name.",
      pages: readers),
    ManualEntry(
      name: "NO_COLOR",
      text: "If it is not empty, the output has no colour and no picture. A terminal still shows the progress.",
      pages: all),
    ManualEntry(
      name: "PCSCLITE_CSOCK_NAME", text: "The socket of pcscd, if it is not the standard one.",
      pages: readers + examining),
    ManualEntry(
      name: "SSL_CERT_FILE", text: "Certificates of authorities for https, PEM, besides those of the system.",
      pages: downloading),
    ManualEntry(
      name: "TESSERA_OFFLINE", text: "If it is set, and not to 0, nothing is downloaded.", pages: downloading),
    ManualEntry(
      name: "TESSERA_PASSAGE_API_URL",
      text: """
        The address of the server that drives the page. `TESSERA_PASSAGE_UI_URL`, `TESSERA_PASSAGE_SOCKET_URL`, \
        `TESSERA_PASSAGE_SESSION_URL` and `TESSERA_PASSAGE_AUTOMATION_URL` are the other addresses.
        """, pages: ["tessera-passage-open"]),
    ManualEntry(
      name: "TESSERA_PINENTRY",
      text: "The path of the pinentry that asks for passphrases and confirmations. Without it: the one in `PATH`.",
      pages: keys),
    ManualEntry(
      name: "TESSERA_RERUNE_ID", text: "The publish id of the texts, without --publish-id.",
      pages: ["tessera-strings"]),
    ManualEntry(
      name: "TESSERA_TPM2_TCTI",
      text: """
        The TPM, as a TCTI of tpm2-tss. Without it: `TPM2OPENSSL_TCTI`, then `TPM2TOOLS_TCTI`, then \
        `device:/dev/tpmrm0`.
        """, pages: keys + examining),
    ManualEntry(
      name: "WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS", text: "If it is set, pages run without a sandbox.",
      pages: ["tessera-open", "tessera-window", "tessera-flow-run"]),
    ManualEntry(
      name: "XDG_CACHE_HOME", text: "The folder of caches. Without it: `~/.cache`.",
      pages: ["tessera-strings"]),
    ManualEntry(
      name: "XDG_CONFIG_HOME", text: "The folder of settings. Without it: `~/.config`.",
      pages: ["tessera-grants", "tessera-serve", "tessera-service", "tessera-open", "tessera-window"]),
    ManualEntry(
      name: "XDG_DATA_HOME",
      text: "The folder of keys, certificates and stored data. Without it: `~/.local/share`.",
      pages: data),
    ManualEntry(
      name: "XDG_RUNTIME_DIR", text: "The folder of the service's socket.",
      pages: ["tessera-call", "tessera-serve", "tessera-service", "tessera-inspect"]),
    ManualEntry(
      name: "XDG_STATE_HOME", text: "The folder of what is kept between runs. Without it: `~/.local/state`.",
      pages: ["tessera-flow-run", "tessera-passage"]),
    ManualEntry(
      name: "https_proxy",
      text: """
        The proxy for https. Without it: `HTTPS_PROXY`, `all_proxy`, then `ALL_PROXY`. `no_proxy` or `NO_PROXY` lists \
        the hosts that are reached without it.
        """, pages: downloading + ["tessera-passage-open"]),
  ]

  static let files: [ManualEntry] = [
    ManualEntry(
      name: "$XDG_CACHE_HOME/tessera/rerune", text: "The texts of the last update.", pages: ["tessera-strings"]),
    ManualEntry(
      name: "$XDG_CONFIG_HOME/tessera/grants", text: "What web pages may do, one origin on each line.",
      pages: ["tessera-grants", "tessera-serve", "tessera-service", "tessera-open", "tessera-window"]),
    ManualEntry(
      name: "$XDG_DATA_HOME/tessera/analytics.jsonl", text: "The events that pages recorded, with --analytics.",
      pages: ["tessera-serve", "tessera-service-install"]),
    ManualEntry(
      name: "$XDG_DATA_HOME/tessera/fleet", text: "Records that the servers of the fleet have not yet acknowledged.",
      pages: ["tessera-inspect"]),
    ManualEntry(
      name: "$XDG_DATA_HOME/tessera/haptic-device.json", text: "The device that played last.",
      pages: ["tessera-haptic"] + bridge),
    ManualEntry(
      name: "$XDG_DATA_HOME/tessera/keys", text: "The keys of the store “file”, and the policies of confirmation.",
      pages: keys),
    ManualEntry(
      name: "$XDG_DATA_HOME/tessera/passage", text: "Cookies and storage of the pages.", pages: ["tessera-passage"]),
    ManualEntry(
      name: "$XDG_DATA_HOME/tessera/storage", text: "The encrypted secrets and documents of programs and web pages.",
      pages: ["tessera-storage"] + bridge),
    ManualEntry(
      name: "$XDG_DATA_HOME/tessera/trust", text: "The imported country certificates and revocation lists.",
      pages: judging),
    ManualEntry(
      name: "$XDG_RUNTIME_DIR/tessera/bridge.sock", text: "The socket of the service.",
      pages: ["tessera-call", "tessera-serve", "tessera-service"]),
    ManualEntry(
      name: "$XDG_STATE_HOME/tessera/passage/sent.jsonl", text: "The log of what was sent.",
      pages: ["tessera-passage"]),
  ]
}

/// The exit statuses of all programs. `FailureKind.exitStatus` is what the programs use; a test compares both.
struct ManualStatus: Sendable {
  let number: Int
  let text: String

  static let all: [ManualStatus] = [
    ManualStatus(
      number: 0,
      text: """
        Success. Of a read: no check failed, which alone does not mean that the document is genuine. Commands that run \
        until they are stopped (serve, inspect, chip run, readers --watch) end with 0 at SIGTERM.
        """),
    ManualStatus(number: 1, text: "An internal error: a defect. Please report it."),
    ManualStatus(number: 2, text: "Wrong use: an invalid option, a malformed machine readable zone or file."),
    ManualStatus(
      number: 3, text: "No reader, no device, no document in time, or a service that does not respond."),
    ManualStatus(number: 4, text: "The chip refused the key."),
    ManualStatus(number: 5, text: "A check failed: of a document, a signature, a list or a file."),
    ManualStatus(number: 6, text: "The card was removed, or the chip violated the protocol."),
    ManualStatus(
      number: 7, text: "A store failed: no such key, the key exists, a wrong passphrase or PIN, or a missing store."),
    ManualStatus(number: 8, text: "The user closed the window or ended the scan by the camera."),
    ManualStatus(number: 69, text: "A C library is missing; the message names its package."),
    ManualStatus(
      number: 130,
      text: """
        Ctrl-C ended the command, after its cleanup, by the signal itself: a loop of the shell ends, too. After another \
        signal: 128 plus its number.
        """),
  ]
}
