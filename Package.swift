// swift-tools-version: 6.2
import PackageDescription

/// What every target is compiled with: Swift 6 language mode comes with the tools version; `any` is always
/// written; and an async function stays on its caller's executor unless it says otherwise, so that a plain,
/// non-`Sendable` object can drive the exchange with a card.
let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

/// The release program is linked with lld, without unused and duplicate functions, and with compact relocations, which
/// the loader applies faster. The functions that common commands call stand together (`Tests/Benchmarks/order` writes
/// their list), so that fewer pages of the file are read. Unsafe flags are permitted here: no library product contains
/// the target of the program.
let releaseLinkerFlags =
  ["-use-ld=lld"]
  + [
    "--gc-sections", "--icf=safe", "-O2", "--no-export-dynamic", "-z", "pack-relative-relocs",
    "--remap-inputs-file=\(Context.packageDirectory)/Sources/CTesseraLibraries/unlinked-libraries",
    "--symbol-ordering-file=\(Context.packageDirectory)/Sources/TesseraCLI/functions.order",
    "--no-warn-symbol-ordering",
  ].flatMap { ["-Xlinker", $0] }

let package = Package(
  name: "tessera",
  products: [
    .executable(name: "tessera", targets: ["TesseraCLI"]),
    // The window. Needs WebKitGTK (libwebkitgtk-6.0-dev); nothing else does.
    .executable(name: "tessera-window", targets: ["TesseraWindowProgram"]),
    .executable(name: "tessera-bench", targets: ["Benchmarks"]),
    // Writes the manual pages of the programs; it is not installed.
    .executable(name: "tessera-manual", targets: ["TesseraManual"]),
    // Everything below except TesseraService as one import.
    .library(name: "Tessera", targets: ["Tessera"]),
    // Electronic passports alone: needs OpenSSL, PC/SC, libnfc and minizip.
    .library(
      name: "TesseraPassport",
      targets: ["TesseraArchive", "TesseraPassport", "TesseraReaders", "TesseraVerification", "TesseraVirtualChip"]),
    // Judges what was read elsewhere, from saved dumps and country certificates; needs no library of a reader.
    .library(name: "TesseraVerification", targets: ["TesseraVerification"]),
    // The pictures of a document, decoded: needs libjpeg-turbo, OpenJPEG and libpng too.
    .library(name: "TesseraPictures", targets: ["TesseraPictures"]),
    // Machine readable zones in pictures and in front of a camera.
    .library(name: "TesseraMRZRecognition", targets: ["TesseraCamera", "TesseraMRZRecognition"]),
    // Signed barcodes of travel documents, and the symbols in pictures.
    .library(name: "TesseraSeals", targets: ["TesseraSeals"]),
    .library(name: "TesseraBarcodes", targets: ["TesseraBarcodes"]),
    // P-256 keys in files, PKCS#11 tokens and TPMs.
    .library(name: "TesseraKeys", targets: ["TesseraKeys"]),
    // Rumble devices: needs libevdev and libudev.
    .library(name: "TesseraHaptics", targets: ["TesseraHaptics"]),
    // The message bridge without any device: a program brings its own providers.
    .library(name: "TesseraBridge", targets: ["TesseraBridge"]),
    // Texts that a server can change.
    .library(name: "ReRune", targets: ["ReRune"]),
    // The same in widgets of GTK. Needs WebKitGTK.
    .library(name: "ReRuneGTK", targets: ["ReRuneGTK"]),
    // The bridge on a Unix socket and a loopback WebSocket.
    .library(name: "TesseraService", targets: ["TesseraService"]),
    // Web content in windows, with the bridge. Needs WebKitGTK.
    .library(name: "TesseraWindow", targets: ["TesseraWebContent", "TesseraWindow"]),
    // Onboarding flows in windows, and their rules without a window. The first needs WebKitGTK.
    .library(name: "RampKit", targets: ["RampKit"]),
    .library(name: "RampKitFlow", targets: ["RampKitFlow"]),
    // Onboarding screens of native widgets, and their rules without a window. The first needs WebKitGTK.
    .library(name: "FCKOnboarding", targets: ["FCKOnboarding"]),
    .library(name: "FCKOnboardingFlow", targets: ["FCKOnboardingFlow"]),
    // The client of its server. Needs libcurl.
    .library(name: "FCKOnboardingClient", targets: ["FCKOnboardingClient"]),
    // The rules of Passage without a window: what a server may ask of the two views, and what is answered.
    .library(name: "PassageProtocol", targets: ["PassageProtocol"]),
    // Two web views that a server drives, in a process of their own. The program needs WebKitGTK, the library does not.
    .library(name: "Passage", targets: ["Passage"]),
    .executable(name: "tessera-passage", targets: ["TesseraPassageProgram"]),
    // Desks whose documents are verified elsewhere, and the inspectors that do it. Needs libnats (libnats-dev); nothing
    // else does.
    .library(name: "TesseraFleet", targets: ["TesseraFleet"]),
    .executable(name: "tessera-fleet", targets: ["TesseraFleetProgram"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-asn1", from: "1.7.4"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.1"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    // `swift package generate-documentation`.
    .package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0"),
  ],
  targets: [
    // C libraries, each behind a module map of its own.
    // libzxing, which the first search for barcodes loads. Version 1.4 has an interface of C++ only.
    .target(name: "CTesseraBarcodes"),
    // libcurl, which the first request loads.
    .target(name: "CTesseraCurl"),
    .systemLibrary(name: "CTesseraEvdev", pkgConfig: "libevdev", providers: [.apt(["libevdev-dev"])]),
    // The other C libraries, which the release program loads at the first call of one of their functions.
    .target(
      name: "CTesseraLibraries", exclude: ["unlinked-libraries"],
      cSettings: [.define("TESSERA_LOAD_AT_FIRST_CALL", .when(configuration: .release))]),
    .systemLibrary(name: "CTesseraLibNFC", pkgConfig: "libnfc", providers: [.apt(["libnfc-dev"])]),
    .target(name: "CTesseraMinizip", linkerSettings: [.linkedLibrary("minizip")]),
    .systemLibrary(name: "CTesseraNATS", pkgConfig: "libnats", providers: [.apt(["libnats-dev"])]),
    .systemLibrary(name: "CTesseraOpenJPEG", pkgConfig: "libopenjp2", providers: [.apt(["libopenjp2-7-dev"])]),
    .systemLibrary(name: "CTesseraOpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CTesseraP11Kit", pkgConfig: "p11-kit-1", providers: [.apt(["libp11-kit-dev"])]),
    .target(name: "CTesseraPCSC", linkerSettings: [.linkedLibrary("pcsclite")]),
    .systemLibrary(name: "CTesseraPNG", pkgConfig: "libpng16", providers: [.apt(["libpng-dev"])]),
    .systemLibrary(name: "CTesseraSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
    .target(name: "CTesseraThreads"),
    .systemLibrary(name: "CTesseraV4L2"),
    .systemLibrary(name: "CTesseraTSS2", pkgConfig: "tss2-esys", providers: [.apt(["libtss2-dev"])]),
    .systemLibrary(name: "CTesseraTurboJPEG", pkgConfig: "libturbojpeg", providers: [.apt(["libturbojpeg0-dev"])]),
    .systemLibrary(name: "CTesseraUdev", pkgConfig: "libudev", providers: [.apt(["libudev-dev"])]),
    .systemLibrary(
      name: "CTesseraWebKitGTK", pkgConfig: "webkitgtk-6.0", providers: [.apt(["libwebkitgtk-6.0-dev"])]),
    .systemLibrary(name: "CTesseraZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),

    // Values that all other modules share: failures, callers, secret bytes, check digits.
    .target(name: "TesseraCore", swiftSettings: settings),
    // JSON with a depth limit and exact numbers.
    .target(name: "TesseraJSON", dependencies: ["TesseraCore"], swiftSettings: settings),
    // Actors whose C calls block run on a thread of their own.
    .target(name: "TesseraThreads", dependencies: ["CTesseraThreads"], swiftSettings: settings),

    // The system's devices and what is plugged in and out.
    .target(name: "TesseraUdev", dependencies: ["CTesseraUdev", "TesseraCore"], swiftSettings: settings),

    .target(
      name: "TesseraCryptography",
      dependencies: ["CTesseraOpenSSL", "TesseraCore", .product(name: "SwiftASN1", package: "swift-asn1")],
      swiftSettings: settings),
    // Atomic file replacement, in folders that several processes share.
    .target(
      name: "TesseraDurableFiles", dependencies: ["TesseraCore", "TesseraThreads"],
      swiftSettings: settings),
    // Zip archives in memory.
    .target(name: "TesseraArchive", dependencies: ["CTesseraMinizip", "TesseraCore"], swiftSettings: settings),
    .target(
      name: "TesseraDBus", dependencies: ["CTesseraSystemd", "TesseraCore", "TesseraThreads"],
      swiftSettings: settings),
    .target(
      name: "TesseraSecretService",
      dependencies: ["TesseraCryptography", "TesseraDBus", "TesseraCore", "TesseraThreads"], swiftSettings: settings
    ),
    // Fingerprint readers, through fprintd.
    .target(
      name: "TesseraFingerprint", dependencies: ["TesseraCore", "TesseraDBus", "TesseraThreads"],
      swiftSettings: settings),
    // ISO/IEC 7816: APDUs, BER-TLV, and the channel to a card. Needs no reader and no C library.
    .target(name: "TesseraSmartCard", dependencies: ["TesseraCore", "TesseraThreads"], swiftSettings: settings),
    // PC/SC and libnfc.
    .target(
      name: "TesseraReaders",
      dependencies: ["CTesseraLibNFC", "CTesseraPCSC", "TesseraCore", "TesseraSmartCard", "TesseraThreads"],
      swiftSettings: settings),
    .target(
      name: "TesseraHaptics",
      dependencies: ["CTesseraEvdev", "TesseraDurableFiles", "TesseraCore", "TesseraThreads", "TesseraUdev"],
      swiftSettings: settings),
    .target(
      name: "TesseraTPM",
      dependencies: [
        "CTesseraTSS2", "TesseraCryptography", "TesseraCore", "TesseraThreads",
        .product(name: "SwiftASN1", package: "swift-asn1"),
      ],
      swiftSettings: settings),
    .target(
      name: "TesseraPassport",
      dependencies: [
        "TesseraCryptography", "TesseraCore", "TesseraSmartCard",
        .product(name: "SwiftASN1", package: "swift-asn1"),
      ],
      swiftSettings: settings),
    // Verifies what was read, with or without the chip, and reports it; and stores it.
    .target(
      name: "TesseraVerification",
      dependencies: [
        "TesseraArchive", "TesseraCore", "TesseraCryptography", "TesseraDurableFiles", "TesseraJSON", "TesseraPassport",
        "TesseraSmartCard", "TesseraThreads",
      ],
      swiftSettings: settings),
    // Signed barcodes of travel documents: visible digital seals, VDS-NC, barcodes of Doc 9303's datastructure.
    .target(
      name: "TesseraSeals",
      dependencies: [
        "CTesseraZlib", "TesseraCore", "TesseraCryptography", "TesseraJSON", "TesseraPassport", "TesseraThreads",
        "TesseraVerification",
      ],
      swiftSettings: settings),
    // Requests over https, by libcurl.
    .target(
      name: "TesseraHTTPClient", dependencies: ["CTesseraCurl", "TesseraCore", "TesseraThreads"],
      swiftSettings: settings),
    // Language tags, and which texts a user reads.
    .target(
      name: "TesseraLocales", dependencies: ["TesseraCore"], resources: [.embedInCode("Data/likely-subtags.txt")],
      swiftSettings: settings),
    // Texts that a server can change.
    .target(
      name: "ReRune",
      dependencies: [
        "TesseraBridge", "TesseraCore", "TesseraCryptography", "TesseraDurableFiles", "TesseraHTTPClient",
        "TesseraJSON", "TesseraLocales", "TesseraThreads", .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: settings),
    // Shows such texts in widgets of GTK.
    .target(
      name: "ReRuneGTK", dependencies: ["CTesseraWebKitGTK", "ReRune", "TesseraWebContent"], swiftSettings: settings),
    // The pictures of a document, decoded and written as PNG.
    .target(
      name: "TesseraPictures",
      dependencies: ["CTesseraOpenJPEG", "CTesseraPNG", "CTesseraTurboJPEG", "TesseraCore", "TesseraPassport"],
      swiftSettings: settings),
    // Video capture devices (V4L2).
    .target(
      name: "TesseraCamera",
      dependencies: [
        "CTesseraTurboJPEG", "CTesseraV4L2", "TesseraCore", "TesseraPictures", "TesseraThreads", "TesseraUdev",
      ],
      swiftSettings: settings),
    // Finds and reads machine readable zones in pictures.
    .target(
      name: "TesseraMRZRecognition", dependencies: ["TesseraCore", "TesseraPassport", "TesseraPictures"],
      resources: [.embedInCode("Weights/ocr-b.weights")], swiftSettings: settings),
    // Finds and reads barcodes in pictures: DataMatrix, QR, Aztec, PDF417.
    .target(
      name: "TesseraBarcodes", dependencies: ["CTesseraBarcodes", "TesseraCore", "TesseraPictures", "TesseraThreads"],
      swiftSettings: settings),
    // The report on one read as a page of HTML.
    .target(
      name: "TesseraReportPage",
      dependencies: [
        "TesseraCore", "TesseraCryptography", "TesseraPassport", "TesseraPictures", "TesseraVerification",
      ],
      swiftSettings: settings),
    .target(
      name: "TesseraVirtualChip",
      dependencies: [
        "CTesseraOpenSSL", "TesseraCryptography", "TesseraCore", "TesseraPassport", "TesseraReaders",
        "TesseraSmartCard",
        "TesseraThreads", .product(name: "SwiftASN1", package: "swift-asn1"),
      ],
      resources: [
        .embedInCode("Specimen/portrait.jpg"), .embedInCode("Specimen/portrait.jp2"),
        .embedInCode("Specimen/signature.jpg"),
      ],
      swiftSettings: settings),
    .target(
      name: "TesseraKeys",
      dependencies: [
        "CTesseraP11Kit", "TesseraCryptography", "TesseraDurableFiles", "TesseraCore", "TesseraSecretService",
        "TesseraThreads", "TesseraTPM",
      ],
      swiftSettings: settings),
    // Encrypted files for the secrets and documents of the bridge.
    .target(
      name: "TesseraEncryptedStorage",
      dependencies: [
        "TesseraCryptography", "TesseraDurableFiles", "TesseraCore", "TesseraSecretService", "TesseraThreads",
      ],
      swiftSettings: settings),
    .target(
      name: "TesseraBridge", dependencies: ["TesseraCore", "TesseraJSON", "TesseraThreads"], swiftSettings: settings),
    .target(
      name: "TesseraLinuxProviders",
      dependencies: [
        "TesseraBridge", "TesseraCamera", "TesseraCryptography", "TesseraDBus", "TesseraEncryptedStorage",
        "TesseraCore",
        "TesseraFingerprint", "TesseraHaptics", "TesseraKeys", "TesseraMRZRecognition", "TesseraPassport",
        "TesseraPictures", "TesseraReaders", "TesseraReportPage", "TesseraSmartCard",
        "TesseraThreads", "TesseraVerification", "TesseraVirtualChip",
        .product(name: "SwiftASN1", package: "swift-asn1"),
      ],
      swiftSettings: settings),
    // Which web origin may do what, and the file in which the person's decisions stand.
    .target(
      name: "TesseraGrants", dependencies: ["TesseraBridge", "TesseraCore", "TesseraDurableFiles"],
      swiftSettings: settings),
    // The daemon: the bridge on a Unix socket and, when asked, on a loopback WebSocket.
    .target(
      name: "TesseraService",
      dependencies: [
        "TesseraBridge", "CTesseraSystemd", "TesseraDurableFiles", "TesseraCore", "TesseraGrants", "TesseraThreads",
        "TesseraWebClient",
        .product(name: "Logging", package: "swift-log"),
        .product(name: "Metrics", package: "swift-metrics"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOWebSocket", package: "swift-nio"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ],
      swiftSettings: settings),
    // Diagnostic checks of the machine, each with the command that corrects a problem.
    .target(
      name: "TesseraDoctor",
      dependencies: [
        "CTesseraSystemd", "TesseraCamera", "TesseraDBus", "TesseraDurableFiles", "TesseraEncryptedStorage",
        "TesseraCore",
        "TesseraFingerprint", "TesseraKeys", "TesseraReaders", "TesseraSecretService", "TesseraThreads", "TesseraTPM",
        "TesseraUdev",
      ],
      resources: [
        .embedInCode("Rules/70-tessera-haptics.rules"), .embedInCode("Rules/70-tessera-nfc.rules"),
        .embedInCode("Rules/org.tessera.policy"),
      ],
      swiftSettings: settings),
    // Web views, what pages may do in them, and the channels between pages and a program. Needs WebKitGTK.
    .target(
      name: "TesseraWebContent", dependencies: ["CTesseraWebKitGTK", "TesseraCore", "TesseraThreads"],
      swiftSettings: settings),
    // What the documents of both kinds of flows share: problems and their places.
    .target(
      name: "TesseraFlowDocument", dependencies: ["TesseraCore", "TesseraJSON"], swiftSettings: settings),
    // FCKOnboarding without a window: the document, the showing, what is drawn, and the page.
    .target(
      name: "FCKOnboardingFlow",
      dependencies: ["TesseraCore", "TesseraJSON", "TesseraFlowDocument"],
      resources: [.embedInCode("HTML/Page/fck.css"), .embedInCode("HTML/Page/fck.js")],
      swiftSettings: settings),
    // FCKOnboarding's server: the flow to show, and the reports of what a person did.
    .target(
      name: "FCKOnboardingClient",
      dependencies: [
        "FCKOnboardingFlow", "TesseraCore", "TesseraJSON", "TesseraDurableFiles", "TesseraHTTPClient",
        "TesseraThreads", .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: settings),
    // FCKOnboarding in windows. Needs WebKitGTK.
    .target(
      name: "FCKOnboarding",
      dependencies: [
        "CTesseraWebKitGTK", "FCKOnboardingClient", "FCKOnboardingFlow", "TesseraLinuxProviders", "TesseraBridge",
        "TesseraCore",
        "TesseraFlowDocument", "TesseraHTTPClient", "TesseraPictures", "TesseraThreads", "TesseraWebContent",
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: settings),
    // The rules of Passage without a window.
    .target(
      name: "PassageProtocol", dependencies: ["TesseraCore", "TesseraJSON", "TesseraHTTPClient", "TesseraThreads"],
      swiftSettings: settings),
    // A client of Socket.IO servers.
    .target(
      name: "PassageSocket",
      dependencies: [
        "TesseraCore", "TesseraJSON", "TesseraHTTPClient", "TesseraThreads",
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
        .product(name: "NIOWebSocket", package: "swift-nio"),
      ],
      swiftSettings: settings),
    // What the program `tessera-passage` shows: the two views and what drives them. Needs WebKitGTK.
    .target(
      name: "PassageViews",
      dependencies: [
        "CTesseraWebKitGTK", "PassageProtocol", "PassageSocket", "TesseraCore", "TesseraJSON", "TesseraDurableFiles",
        "TesseraHTTPClient", "TesseraThreads", "TesseraWebContent", .product(name: "Logging", package: "swift-log"),
      ],
      resources: [
        .embedInCode("Scripts/collect.js"), .embedInCode("Scripts/global.js"), .embedInCode("Scripts/history.js"),
        .embedInCode("Scripts/service.js"), .embedInCode("Scripts/site.js"),
      ],
      swiftSettings: settings),
    // The API of Passage for programs: starts `tessera-passage` and talks to it.
    .target(
      name: "Passage", dependencies: ["PassageProtocol", "TesseraCore", "TesseraJSON", "TesseraThreads"],
      swiftSettings: settings),
    // `tessera-passage`: two web views under remote control, in a process that has no way to the devices.
    .executableTarget(
      name: "TesseraPassageProgram",
      dependencies: [
        "CTesseraWebKitGTK", "PassageProtocol", "PassageSocket", "PassageViews", "TesseraCore", "TesseraJSON",
        "TesseraDurableFiles", "TesseraHTTPClient", "TesseraThreads", "TesseraWebContent",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: settings),
    // Connections to NATS servers: subjects, requests, and streams and key-value buckets of JetStream. Needs libnats.
    .target(
      name: "TesseraNATS", dependencies: ["CTesseraNATS", "TesseraCore", "TesseraJSON", "TesseraThreads"],
      swiftSettings: settings),
    // Desks whose documents are verified elsewhere, and the inspectors that do it.
    .target(
      name: "TesseraFleet",
      dependencies: [
        "TesseraCore", "TesseraJSON", "TesseraCryptography", "TesseraDurableFiles", "TesseraEncryptedStorage",
        "TesseraNATS", "TesseraPassport", "TesseraReaders", "TesseraSmartCard", "TesseraThreads", "TesseraVerification",
        .product(name: "Logging", package: "swift-log"),
        .product(name: "Metrics", package: "swift-metrics"),
      ],
      swiftSettings: settings),
    // `tessera-fleet`, which `tessera inspect`, `tessera fleet` and the option --fleet start.
    .executableTarget(
      name: "TesseraFleetProgram",
      dependencies: [
        "TesseraCore", "TesseraCommandLine", "TesseraDurableFiles", "TesseraFleet", "TesseraGrants", "TesseraJSON",
        "TesseraLinuxProviders", "TesseraNATS",
        "TesseraPassport", "TesseraReaders", "TesseraService", "TesseraThreads", "TesseraVerification",
        "TesseraVerificationPage", "TesseraVirtualChip",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ],
      swiftSettings: settings),
    // RampKit's flows without a window: the document, targeting, navigation, variables, messages, and the pages.
    .target(
      name: "RampKitFlow", dependencies: ["TesseraCore", "TesseraJSON", "TesseraFlowDocument", "TesseraLocales"],
      resources: [
        .embedInCode("Pages/Scripts/actions.js"),
        .embedInCode("Pages/Scripts/channel.js"),
        .embedInCode("Pages/Scripts/hardening.js"),
        .embedInCode("Pages/Scripts/noselect.js"),
        .embedInCode("Pages/Scripts/onopen.js"),
        .embedInCode("Pages/Scripts/receive.js"),
        .embedInCode("Pages/Scripts/rules.js"),
        .embedInCode("Pages/Scripts/taps.js"),
        .embedInCode("Pages/Scripts/templates.js"),
        .embedInCode("Pages/Scripts/translations.js"),
        .embedInCode("Pages/Scripts/variables.js"),
      ],
      swiftSettings: settings),
    .target(
      name: "Tessera",
      dependencies: [
        "TesseraBridge", "TesseraCamera", "TesseraCryptography", "TesseraDoctor", "TesseraEncryptedStorage",
        "TesseraCore", "TesseraFingerprint", "TesseraHaptics", "TesseraKeys", "TesseraLinuxProviders",
        "TesseraMRZRecognition",
        "TesseraPassport", "TesseraPictures", "TesseraReaders", "TesseraSmartCard", "TesseraTPM", "TesseraVerification",
        "TesseraVirtualChip",
      ],
      swiftSettings: settings),
    // The client of the bridge for web pages, in JavaScript.
    .target(
      name: "TesseraWebClient", exclude: ["Files/package.json"],
      resources: [.embedInCode("Files/tessera.d.ts"), .embedInCode("Files/tessera.js")], swiftSettings: settings),
    // The page that reads and verifies a document, for the window and for `tessera serve --page`.
    .target(
      name: "TesseraVerificationPage", dependencies: ["TesseraCore", "TesseraWebClient"],
      resources: [
        .embedInCode("Files/bridge.js"), .embedInCode("Files/entry.js"),
        .embedInCode("Files/index.html"), .embedInCode("Files/launch.js"), .embedInCode("Files/main.js"),
        .embedInCode("Files/mrz.js"), .embedInCode("Files/page.css"), .embedInCode("Files/result.js"),
        .embedInCode("Files/words.js"),
      ],
      swiftSettings: settings),
    // Launches web content in a window and returns its result. Needs WebKitGTK.
    .target(
      name: "TesseraWindow",
      dependencies: [
        "CTesseraWebKitGTK", "TesseraBridge", "TesseraCore", "TesseraEncryptedStorage", "TesseraGrants",
        "TesseraHTTPClient", "TesseraJSON", "TesseraKeys", "TesseraLinuxProviders", "TesseraMRZRecognition",
        "TesseraPictures", "TesseraReaders", "TesseraThreads", "TesseraVerification", "TesseraVerificationPage",
        "TesseraWebContent",
      ],
      swiftSettings: settings),
    // RampKit's flows in windows. Needs WebKitGTK.
    .target(
      name: "RampKit",
      dependencies: [
        "CTesseraWebKitGTK", "RampKitFlow", "ReRune", "TesseraEncryptedStorage", "TesseraLinuxProviders",
        "TesseraBridge", "TesseraCore", "TesseraDBus",
        "TesseraDurableFiles", "TesseraGrants", "TesseraHTTPClient", "TesseraLocales", "TesseraThreads",
        "TesseraWebContent", "TesseraWindow", .product(name: "Logging", package: "swift-log"),
      ],
      resources: [
        .embedInCode("Sample/choice.html"), .embedInCode("Sample/passport.html"), .embedInCode("Sample/passport.js"),
        .embedInCode("Sample/sample.css"), .embedInCode("Sample/welcome.html"),
      ],
      swiftSettings: settings),
    // What both programs have: options, output, exit status.
    .target(
      name: "TesseraCommandLine",
      dependencies: [
        "Tessera", "TesseraCore", "TesseraDurableFiles", "TesseraGrants", "TesseraHTTPClient", "TesseraPictures",
        "TesseraThreads", .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: settings),
    // `tessera-window`, which `tessera open` starts.
    .executableTarget(
      name: "TesseraWindowProgram",
      dependencies: [
        "CTesseraWebKitGTK", "FCKOnboarding", "FCKOnboardingFlow", "RampKit", "TesseraBridge", "TesseraCommandLine",
        "TesseraCore", "TesseraGrants", "TesseraHTTPClient", "TesseraJSON", "TesseraLinuxProviders", "TesseraPassport",
        "TesseraThreads", "TesseraVerification", "TesseraVirtualChip", "TesseraWindow",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: settings),
    .executableTarget(
      name: "TesseraCLI",
      dependencies: [
        "CTesseraLibraries", "FCKOnboardingFlow", "RampKitFlow", "ReRune", "TesseraCommandLine", "TesseraDurableFiles",
        "TesseraFlowDocument", "TesseraGrants", "TesseraHTTPClient", "TesseraLocales",
        "TesseraBarcodes", "TesseraJSON", "TesseraMRZRecognition", "TesseraPictures", "TesseraReportPage",
        "TesseraSeals", "TesseraService", "Tessera", "TesseraThreads", "TesseraVerificationPage",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ],
      exclude: ["functions.order"], swiftSettings: settings,
      linkerSettings: [.unsafeFlags(releaseLinkerFlags, .when(configuration: .release))]),

    // Writes the manual pages of the programs from the definitions of their arguments.
    .executableTarget(
      name: "TesseraManual", dependencies: [.product(name: "ArgumentParser", package: "swift-argument-parser")],
      swiftSettings: settings),

    // Tests. `TestSupport` finds fixtures and the built program, and runs the lab of real services.
    .target(name: "TestEnvironment", path: "Tests/TestEnvironment"),
    .target(
      name: "TestSupport",
      dependencies: [
        "TesseraCore", "TestEnvironment", "TesseraThreads", .product(name: "Logging", package: "swift-log"),
      ],
      path: "Tests/TestSupport",
      swiftSettings: settings),
    // Countries for the tests of passports, and the expected results of each profile of the virtual chip.
    .target(
      name: "PassportTestSupport",
      dependencies: [
        "TesseraCore", "TesseraCryptography", "TesseraPassport", "TesseraSmartCard", "TesseraVerification",
        "TesseraVirtualChip", "TestSupport",
      ],
      path: "Tests/PassportTestSupport", swiftSettings: settings),
    // A camera for the programs that a test runs.
    .target(
      name: "CameraTestSupport", dependencies: ["CTesseraTurboJPEG", "TesseraCore", "TesseraPictures", "TestSupport"],
      path: "Tests/CameraTestSupport", swiftSettings: settings),
    .executableTarget(
      name: "Benchmarks",
      dependencies: [
        "BenchmarkPage", "CTesseraOpenSSL", "ReRune", "TesseraHTTPClient", "TesseraHaptics", "TesseraKeys",
        "TesseraLocales",
        "TesseraService",
        "ServiceLoad", "Tessera", "TesseraTPM", "TesseraThreads",
        .product(name: "Logging", package: "swift-log"),
      ],
      path: "Tests/Benchmarks", exclude: ["libraries", "order", "program"],
      swiftSettings: settings),
    // The tables of the benchmarks in Markdown.
    .target(name: "BenchmarkPage", path: "Tests/BenchmarkPage", swiftSettings: settings),
    .executableTarget(
      name: "KeyHolder", dependencies: ["TesseraKeys", "TesseraCore", "TesseraDurableFiles"], path: "Tests/KeyHolder",
      swiftSettings: settings),
    .executableTarget(
      name: "EntryWriter", dependencies: ["TesseraCryptography", "TesseraEncryptedStorage", "TesseraCore"],
      path: "Tests/EntryWriter",
      swiftSettings: settings),
    // A program that uses a camera, for tests that give it a virtual one.
    .executableTarget(
      name: "CameraProbe", dependencies: ["TesseraCamera", "TesseraCore", "TesseraPictures", "TesseraThreads"],
      path: "Tests/CameraProbe", swiftSettings: settings),
    // The frame of the programs below: a main thread that is GTK's, one scenario in each run, and what it observes.
    .target(
      name: "ScenarioFrame",
      dependencies: [
        "CTesseraWebKitGTK", "TesseraJSON", "TesseraCryptography", "TesseraThreads", "TesseraWebContent",
      ],
      path: "Tests/ScenarioFrame", swiftSettings: settings),
    // What the tests of the window do in a process whose main thread is GTK's.
    .executableTarget(
      name: "WindowScenarios",
      dependencies: [
        "BridgeVectors", "CTesseraWebKitGTK", "ReRune", "ReRuneGTK", "ScenarioFrame", "TesseraHTTPClient",
        "TesseraLocales",
        "TestSupport", "TesseraThreads", "TesseraVirtualChip", "TesseraWebContent", "TesseraWindow",
      ],
      path: "Tests/WindowScenarios", swiftSettings: settings),
    // The lab: virtual hardware below the real stacks. Its tests run in a virtual machine, by `Tests/Lab/run`.
    .target(name: "CLab", path: "Tests/Lab/CLab"),
    .target(
      name: "LabDevices",
      dependencies: [
        "CLab", "TesseraCore", "TesseraPictures", "TesseraReaders", "TesseraSmartCard", "TesseraThreads",
        "TesseraUdev", "TesseraVirtualChip",
      ],
      path: "Tests/Lab/Devices",
      swiftSettings: settings),
    .testTarget(
      name: "LabTests",
      dependencies: [
        "CLab", "CameraProbe", "PassportTestSupport", "TesseraBridge", "TesseraCamera", "TesseraCore", "TesseraHaptics",
        "LabDevices", "TesseraJSON", "TesseraPictures", "TesseraService",
        "TesseraReaders", "TesseraLinuxProviders", "TestSupport", "TesseraUdev", "TesseraVirtualChip",
      ],
      path: "Tests/Lab/Tests", swiftSettings: settings),
    .testTarget(
      name: "CryptographyTests",
      dependencies: [
        "PassportTestSupport", "TesseraCryptography", "TesseraSmartCard", "TestSupport", "TesseraVirtualChip",
        .product(name: "SwiftASN1", package: "swift-asn1"),
      ],
      exclude: ["Fixtures"], swiftSettings: settings),
    .testTarget(
      name: "ArchiveTests", dependencies: ["TesseraArchive", "TestSupport"], swiftSettings: settings),
    .testTarget(
      name: "SmartCardTests",
      dependencies: [
        "TesseraCore", "LabDevices", "TesseraPassport", "TesseraReaders", "TesseraSmartCard", "TestSupport",
        "TesseraThreads",
        "TesseraVirtualChip",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "HapticsTests",
      dependencies: ["CTesseraEvdev", "TesseraCore", "TesseraHaptics", "TestSupport", "TesseraThreads"],
      swiftSettings: settings),
    .testTarget(
      name: "DoctorTests",
      dependencies: ["TesseraDoctor", "TesseraCore", "TestSupport", "TesseraThreads", "TesseraUdev"],
      swiftSettings: settings),
    .testTarget(
      name: "TPMTests",
      dependencies: [
        "CTesseraTSS2", "TesseraCryptography", "TesseraCore", "TestSupport", "TesseraThreads", "TesseraTPM",
        .product(name: "SwiftASN1", package: "swift-asn1"),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "PassportTests",
      dependencies: [
        "PassportTestSupport", "TesseraCryptography", "TesseraPassport", "TesseraSmartCard", "TestSupport",
        "TesseraVerification",
        "TesseraVirtualChip",
      ],
      exclude: ["Fixtures"], swiftSettings: settings),
    .testTarget(
      name: "VerificationTests",
      dependencies: [
        "PassportTestSupport", "TesseraArchive", "TesseraCryptography", "TesseraPassport", "TesseraSmartCard",
        "TestSupport",
        "TesseraThreads", "TesseraVerification", "TesseraVirtualChip",
        .product(name: "SwiftASN1", package: "swift-asn1"),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "SealsTests",
      dependencies: [
        "CTesseraZlib", "TesseraCore", "TesseraCryptography", "TesseraJSON", "TesseraPassport", "TesseraSeals",
        "TesseraVerification", "TestSupport",
      ],
      exclude: ["Vectors"], swiftSettings: settings),
    .testTarget(
      name: "HTTPClientTests", dependencies: ["TesseraHTTPClient", "TestSupport", "TesseraThreads"],
      exclude: ["lines.py", "proxy.py", "server.py", "tls.py"], swiftSettings: settings),
    .testTarget(name: "LocalesTests", dependencies: ["TesseraLocales", "TestSupport"], swiftSettings: settings),
    .testTarget(
      name: "ReRuneTests",
      dependencies: [
        "ReRune", "TesseraBridge", "TesseraCore", "TesseraDurableFiles", "TesseraHTTPClient", "TesseraJSON",
        "TesseraLocales", "TesseraThreads",
        "TestSupport", .product(name: "Logging", package: "swift-log"),
      ],
      exclude: ["Fixtures", "contracts.py"], swiftSettings: settings),
    .testTarget(
      name: "BarcodesTests",
      dependencies: ["TesseraBarcodes", "TesseraCore", "TesseraCryptography", "TesseraPictures", "TestSupport"],
      exclude: ["Fixtures"], swiftSettings: settings),
    .testTarget(
      name: "PicturesTests",
      dependencies: ["CTesseraPNG", "TesseraPassport", "TesseraPictures", "TestSupport", "TesseraVirtualChip"],
      exclude: ["Fixtures"], swiftSettings: settings),
    // Reads frames from standard input, for the measurements of `Tests/MRZRecognition/run`.
    .executableTarget(
      name: "MRZFrameReader", dependencies: ["TesseraMRZRecognition", "TesseraPictures"],
      path: "Tests/MRZRecognition/FrameReader", swiftSettings: settings),
    .testTarget(
      name: "CameraTests",
      dependencies: [
        "CameraProbe", "CameraTestSupport", "TesseraCamera", "TesseraCore", "TesseraPictures", "TesseraThreads",
        "TestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "MRZRecognitionTests",
      dependencies: ["TesseraCore", "TesseraMRZRecognition", "TesseraPassport", "TesseraPictures", "TestSupport"],
      exclude: ["Fixtures"], swiftSettings: settings),
    .testTarget(
      name: "ReportPageTests",
      dependencies: [
        "CTesseraPNG", "TesseraCore", "TesseraPassport", "TesseraReaders", "TesseraReportPage", "TesseraSmartCard",
        "TesseraVerification", "TesseraVirtualChip", "TestSupport",
      ],
      swiftSettings: settings),
    // Replays the fuzzing corpus.
    .testTarget(
      name: "FuzzingTests",
      dependencies: [
        "CTesseraOpenSSL", "TesseraArchive", "TesseraCamera", "TesseraCryptography", "TesseraMRZRecognition",
        "TesseraPassport", "TesseraPictures",
        "TesseraSmartCard",
        "TestSupport", "TesseraVerification", "TesseraVirtualChip",
      ],
      path: "Tests/Fuzzing", exclude: ["Corpus", "LibFuzzer", "run"],
      sources: ["Harnesses", "Tests"], swiftSettings: settings),
    .testTarget(
      name: "VirtualChipTests",
      dependencies: [
        "TesseraCryptography", "TesseraPassport", "TesseraSmartCard", "TestSupport", "TesseraVirtualChip",
      ],
      exclude: ["Fixtures"], swiftSettings: settings),
    // The bridge's vectors, for every transport: in process, a socket, a page.
    .target(
      name: "BridgeVectors",
      dependencies: [
        "TesseraBridge", "TesseraCryptography", "TesseraEncryptedStorage", "TesseraCore", "TesseraKeys",
        "TesseraLinuxProviders", "TestSupport",
        "TesseraThreads",
      ],
      path: "Tests/BridgeVectors", swiftSettings: settings),
    .testTarget(
      name: "BridgeTests",
      dependencies: [
        "TesseraBridge", "BridgeVectors", "TesseraCryptography", "TesseraEncryptedStorage", "TesseraCore",
        "TesseraHaptics", "TesseraKeys",
        "TesseraLinuxProviders", "TesseraPassport", "TesseraReaders", "TesseraJSON", "TestSupport", "TesseraTPM",
        "TesseraVirtualChip",
      ],
      exclude: ["Fixtures"], swiftSettings: settings),
    // Many clients of the service at once, and a bare echo beside it.
    .target(
      name: "ServiceLoad",
      dependencies: [
        "TesseraThreads", .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ],
      path: "Tests/ServiceLoad", swiftSettings: settings),
    .testTarget(
      name: "ServiceTests",
      dependencies: [
        "CameraTestSupport", "TesseraBridge", "BridgeVectors", "TesseraCore", "TesseraEncryptedStorage", "TesseraJSON",
        "TesseraPassport", "TesseraPictures", "TesseraService", "ServiceLoad", "TesseraLinuxProviders",
        "TesseraVirtualChip", "TesseraWebClient", "TestSupport", "TesseraThreads",
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "SecretServiceTests",
      dependencies: [
        "TesseraCryptography", "CTesseraSystemd", "TesseraDBus", "TesseraCore", "TesseraSecretService",
        "TestSupport", "TesseraThreads",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "FingerprintTests",
      dependencies: [
        "BridgeVectors", "CameraTestSupport", "TesseraBridge", "TesseraCore", "TesseraDBus", "TesseraEncryptedStorage",
        "TesseraFingerprint", "TesseraKeys", "TesseraLinuxProviders", "TesseraPictures", "TestSupport",
        "TesseraThreads",
      ],
      exclude: ["polkit-agent.py", "scripted-fprintd.py", "scripted-logind.py", "scripted-polkit.py"],
      swiftSettings: settings),
    .testTarget(
      name: "KeysTests",
      dependencies: [
        "TesseraCryptography", "TesseraCore", "KeyHolder", "TesseraKeys", "TesseraSecretService",
        "TestEnvironment", "TestSupport",
        "TesseraThreads",
        "TesseraTPM",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "EncryptedStorageTests",
      dependencies: [
        "TesseraBridge", "TesseraCryptography", "TesseraDurableFiles", "TesseraEncryptedStorage", "EntryWriter",
        "TesseraCore", "TesseraLinuxProviders",
        "TesseraSecretService", "TestSupport", "TesseraThreads",
      ],
      swiftSettings: settings),
    // A display without a screen, for the tests of programs with windows.
    .target(
      name: "WindowTestSupport", dependencies: ["TesseraJSON", "TestSupport"], path: "Tests/WindowTestSupport",
      swiftSettings: settings),
    // The window, by the programs `tessera-window` and `WindowScenarios` on a display without a screen.
    .testTarget(
      name: "WindowTests",
      dependencies: [
        "CameraTestSupport", "TesseraCore", "TesseraBridge", "TesseraPictures", "TesseraVerificationPage",
        "TesseraWebClient", "TestSupport", "WindowScenarios", "WindowTestSupport",
      ],
      exclude: ["Site"], swiftSettings: settings),
    .testTarget(
      name: "FCKOnboardingFlowTests",
      dependencies: [
        "FCKOnboardingClient", "FCKOnboardingFlow", "TesseraCore", "TesseraJSON", "TesseraDurableFiles",
        "TesseraFlowDocument", "TesseraHTTPClient", "TestSupport", "TesseraThreads",
        .product(name: "Logging", package: "swift-log"),
      ],
      exclude: ["Fixtures"], swiftSettings: settings),
    // What the tests of FCKOnboarding do in a process whose main thread is GTK's.
    .executableTarget(
      name: "FCKScenarios",
      dependencies: [
        "CTesseraWebKitGTK", "FCKOnboarding", "FCKOnboardingFlow", "ScenarioFrame", "TesseraBridge", "TesseraCore",
        "TesseraHTTPClient", "TesseraThreads", "TesseraWebContent",
      ],
      path: "Tests/FCKScenarios", swiftSettings: settings),
    // FCKOnboarding on a display without a screen, by the programs `FCKScenarios` and `tessera-window`.
    .testTarget(
      name: "FCKOnboardingTests",
      dependencies: [
        "FCKOnboarding", "FCKOnboardingFlow", "FCKScenarios", "TesseraJSON", "TesseraHTTPClient", "TesseraThreads",
        "TestSupport", "WindowTestSupport",
      ],
      exclude: ["accessible.py"], swiftSettings: settings),
    .testTarget(
      name: "PassageProtocolTests",
      dependencies: [
        "PassageProtocol", "PassageSocket", "TesseraCore", "TesseraJSON", "TesseraHTTPClient", "TestSupport",
      ],
      exclude: ["Fixtures"], swiftSettings: settings),
    .testTarget(
      name: "PassageSocketTests",
      dependencies: [
        "PassageSocket", "TesseraCore", "TesseraJSON", "TesseraHTTPClient", "TesseraThreads",
        "TestSupport",
      ],
      exclude: ["controller.py"], swiftSettings: settings),
    // Whole sessions of Passage: the program `tessera-passage` on a display without a screen, local pages, and a
    // controller that others wrote.
    .testTarget(
      name: "PassageTests",
      dependencies: [
        "Passage", "PassageProtocol", "TesseraPassageProgram", "TesseraCore", "TesseraJSON", "TesseraHTTPClient",
        "TesseraThreads", "TestSupport", "WindowTestSupport",
      ],
      exclude: ["Site", "controller.py"], swiftSettings: settings),
    .testTarget(
      name: "RampKitFlowTests", dependencies: ["RampKitFlow", "TesseraJSON", "TestSupport"],
      exclude: ["Fixtures"], swiftSettings: settings),
    // What the tests of RampKit do in a process whose main thread is GTK's.
    .executableTarget(
      name: "RampKitScenarios",
      dependencies: [
        "CTesseraWebKitGTK", "RampKit", "RampKitFlow", "ScenarioFrame", "TesseraBridge", "TesseraCore",
        "TesseraHTTPClient", "TesseraLocales", "TesseraThreads", "TesseraWebContent",
      ],
      path: "Tests/RampKitScenarios", swiftSettings: settings),
    // RampKit on the window, by the program `RampKitScenarios` on a display without a screen.
    .testTarget(
      name: "RampKitTests",
      dependencies: [
        "RampKit", "RampKitFlow", "RampKitScenarios", "TesseraBridge", "TesseraHTTPClient", "TesseraThreads",
        "TestSupport", "WindowTestSupport",
      ],
      exclude: ["desktop.py"], swiftSettings: settings),
    // NATS servers of their own for the tests, and what a fleet consists of: desks with virtual chips, inspectors.
    .target(
      name: "FleetLab",
      dependencies: [
        "PassportTestSupport", "TesseraCore", "TesseraJSON", "TesseraFleet", "TesseraNATS", "TesseraPassport",
        "TesseraReaders",
        "TesseraVerification", "TesseraVirtualChip", "TestSupport", "TesseraThreads",
      ],
      path: "Tests/FleetLab", swiftSettings: settings),
    // Many desks with virtual chips, for the load of `Tests/FleetLoad/run`.
    .executableTarget(
      name: "FleetLoad",
      dependencies: [
        "FleetLab", "TesseraCore", "TesseraFleet", "TesseraNATS", "TesseraPassport",
        "TesseraVerification", "TesseraVirtualChip", "TesseraThreads",
      ],
      path: "Tests/FleetLoad", exclude: ["run"], swiftSettings: settings),
    .testTarget(
      name: "NATSTests",
      dependencies: ["FleetLab", "TesseraCore", "TesseraJSON", "TesseraNATS", "TestSupport", "TesseraThreads"],
      swiftSettings: settings),
    .testTarget(
      name: "FleetTests",
      dependencies: [
        "FleetLab", "FleetLoad", "PassportTestSupport", "TesseraBridge", "TesseraCLI", "TesseraCore",
        "TesseraCryptography",
        "TesseraDurableFiles", "TesseraEncryptedStorage", "TesseraFleet", "TesseraFleetProgram", "TesseraNATS",
        "TesseraPassport", "TesseraSmartCard", "TesseraVerification", "TesseraVirtualChip", "TestSupport",
        "TesseraThreads", .product(name: "Metrics", package: "swift-metrics"),
      ],
      swiftSettings: settings),
    // The examples of the documentation, compiled and run.
    .testTarget(
      name: "DocumentationTests",
      dependencies: [
        "BenchmarkPage", "FCKOnboarding", "Passage", "RampKit", "ReRune", "ReRuneGTK", "Tessera", "TesseraFleet",
        "TesseraHaptics",
        "TesseraPassport", "TesseraReaders", "TesseraService",
        "TesseraVerification",
        "TesseraVirtualChip", "TesseraWindow", "TestSupport",
        .product(name: "Logging", package: "swift-log"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "CommandLineTests",
      dependencies: [
        "CameraTestSupport", "LabDevices", "PassportTestSupport", "Tessera", "TesseraCLI", "TesseraCommandLine",
        "TesseraCore", "TestSupport", "TesseraThreads", "TesseraVirtualChip",
      ],
      swiftSettings: settings),
    // The manual pages, and their examples as a person would type them.
    .testTarget(
      name: "ManualTests",
      dependencies: ["TesseraCLI", "TesseraCommandLine", "TesseraCore", "TesseraManual", "TestSupport"],
      swiftSettings: settings),
  ],
  // The headers of libzxing are written for it.
  cxxLanguageStandard: .cxx17
)

// A sanitizer's run needs some of the test targets only. This variable names them, separated by commas; only they and what
// they depend on are then built. `Tests/sanitized` sets it.
if let names = Context.environment["TESSERA_TEST_TARGETS"]?.split(separator: ",").map(String.init) {
  var used: Set<String> = []
  func use(_ name: String) {
    guard let target = package.targets.first(where: { $0.name == name }), used.insert(name).inserted else { return }
    for case .targetItem(let name, _) in target.dependencies { use(name) }
    for case .byNameItem(let name, _) in target.dependencies { use(name) }
  }
  for name in names {
    // Nothing would notice a wrong name: a run without its tests passes.
    guard package.targets.contains(where: { $0.name == name && $0.type == .test }) else {
      fatalError("TESSERA_TEST_TARGETS: \(name) is not a test target.")
    }
    use(name)
  }
  package.targets.removeAll { !used.contains($0.name) }
  package.products.removeAll { ($0 as? Product.Executable)?.targets.allSatisfy(used.contains) != true }
}

// `Tests/Fuzzing/run` sets this variable. The same harnesses are then linked with libFuzzer, which provides `main`.
if Context.environment["TESSERA_LIBFUZZER"] != nil {
  package.targets.removeAll { $0.type == .test }
  package.targets.append(
    .executableTarget(
      name: "Fuzzing",
      dependencies: [
        "CTesseraOpenSSL", "TesseraArchive", "TesseraCamera", "TesseraCryptography", "TesseraMRZRecognition",
        "TesseraPassport", "TesseraPictures",
        "TesseraSmartCard",
        "TesseraVerification", "TesseraVirtualChip",
      ],
      path: "Tests/Fuzzing", exclude: ["Corpus", "Tests", "run"], sources: ["Harnesses", "LibFuzzer"],
      swiftSettings: settings + [.unsafeFlags(["-parse-as-library"])]))
}
