import Foundation
import TestSupport
import Testing

@testable import RampKit

extension RealPrograms {
  @Suite("Currency of the system")
  struct SystemCurrencyTests {
    private static let hasLocales = FileManager.default.fileExists(atPath: "/usr/share/i18n/locales/de_AT")
    private static let isEnabled = hasLocales || ProcessInfo.processInfo.environment["CI"] != nil

    @Test("is that of an installed locale", .enabled(if: isEnabled, "the Debian package locales is not installed"))
    func installed() async throws {
      let folder = try TemporaryFolder()
      for (source, name) in [("de_AT", "de_AT.UTF-8"), ("ja_JP", "ja_JP.UTF-8"), ("de_CH", "de_CH")] {
        try #require(
          ProgramRun.succeeds("/usr/bin/localedef", ["-i", source, "-f", "UTF-8", folder.url.path + "/" + name]))
      }
      // The C library reads LOCPATH from the environment of the process.
      await #expect(processExitsWith: .success) { [path = folder.url.path as String] in
        setenv("LOCPATH", path, 1)
        #expect(SystemCurrency(locale: "de_AT")?.code == "EUR")
        #expect(SystemCurrency(locale: "de_AT")?.symbol == "€")
        #expect(SystemCurrency(locale: "de_CH")?.code == "CHF")
        #expect(SystemCurrency(locale: "fr_FR") == nil)
        #expect(SystemCurrency(["LANG": "de_AT.UTF-8"])?.code == "EUR")
        #expect(SystemCurrency(["LANG": "de_AT.UTF-8", "LC_MONETARY": "ja_JP.UTF-8", "LC_ALL": ""])?.code == "JPY")
        #expect(SystemCurrency(["LC_ALL": "C", "LANG": "de_AT.UTF-8"]) == nil)
        // The settings of the process are not those that were asked for.
        setenv("LC_ALL", "de_AT.UTF-8", 1)
        for name in ["", "\0"] { #expect(SystemCurrency(locale: name) == nil) }
      }
    }

    @Test("is unknown without settings, and for names that no locale has")
    func unknown() {
      #expect(SystemCurrency([:]) == nil)
      for name in ["C", "POSIX", "", "../../etc", String(repeating: "x", count: 100_000), "de\0AT"] {
        #expect(SystemCurrency(["LANG": name]) == nil)
        #expect(SystemCurrency(locale: name) == nil)
      }
    }
  }
}
