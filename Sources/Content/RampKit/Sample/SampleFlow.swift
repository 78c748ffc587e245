import RampKitFlow
import TesseraBridge
import TesseraGrants

/// The flow that is part of RampKit: a welcome, a choice, and a passport that is read by the bridge.
public enum SampleFlow {
  /// Its name, by which a host grants it the reader.
  public static let id = "tessera-sample"

  /// What it uses of the hardware.
  public static let hardware: Set<Grant.Permission> = [Grant.Permission(.nfc)]

  /// The variables in which the passport page expects what opens the chip. Pages cannot write them.
  public static let documentVariables = (
    number: "onboarding.documentNumber", dateOfBirth: "onboarding.dateOfBirth", dateOfExpiry: "onboarding.dateOfExpiry"
  )

  public static let flow: OnboardingData = {
    var flow = OnboardingData()
    flow.onboardingId = id
    flow.screens = [
      ScreenPayload(
        id: "welcome", label: "Welcome", html: text(PackageResources.welcome_html), css: css,
        translations: [
          "de": [
            "title": "Willkommen", "start": "Beginnen",
            "text": "Drei kurze Schritte zeigen, was eine Seite mit diesem Rechner tun kann.",
          ],
          "ar": [
            "title": "أهلًا وسهلًا", "start": "ابدأ", "text": "ثلاث خطوات قصيرة تبيّن ما يمكن أن تفعله صفحة بهذا الحاسوب.",
          ],
        ]),
      ScreenPayload(
        id: "choice", label: "Choice", html: text(PackageResources.choice_html), css: css,
        translations: [
          "de": [
            "title": "Wofür ist der Platz?", "hotel": "Der Empfang eines Hotels", "bank": "Der Schalter einer Bank",
            "test": "Ich sehe mich nur um", "next": "Weiter", "back": "Zurück",
          ],
          "ar": [
            "title": "ما الغرض من المكتب؟", "hotel": "استقبال في فندق", "bank": "شبّاك في مصرف", "test": "أستكشف فقط",
            "next": "التالي", "back": "رجوع",
          ],
        ]),
      ScreenPayload(
        id: "passport", label: "Passport", html: text(PackageResources.passport_html), css: css,
        js: text(PackageResources.passport_js),
        translations: [
          "de": [
            "title": "Legen Sie Ihren Pass auf das Lesegerät", "number": "Dokumentennummer", "birth": "Geburtsdatum",
            "expiry": "Gültig bis", "read": "Lesen", "finish": "Fertig", "reading": "Wird gelesen …",
            "genuine": "Das Dokument ist echt.", "notGenuine": "Das Dokument ist nicht echt.",
            "unverified": "Das Dokument wurde gelesen. Es konnte nicht geprüft werden.",
            "unread": "Das Dokument wurde nicht gelesen.",
            "noReader": "Diese Seiten haben keinen Zugang zum Lesegerät.",
            "text": "Der Chip öffnet sich mit drei Angaben, die im Pass stehen. Nichts davon verlässt diesen Rechner.",
          ],
          "ar": [
            "title": "ضع جواز سفرك على القارئ", "number": "رقم الوثيقة", "birth": "تاريخ الميلاد",
            "expiry": "تاريخ الانتهاء", "read": "اقرأ", "finish": "إنهاء", "reading": "جارٍ القراءة …",
            "genuine": "الوثيقة أصلية.", "notGenuine": "الوثيقة غير أصلية.",
            "unverified": "قُرئت الوثيقة، وتعذّر التحقق منها.", "unread": "لم تُقرأ الوثيقة.",
            "noReader": "لا يمكن لهذه الصفحات استخدام القارئ.",
            "text": "تُفتح الشريحة بثلاثة بيانات مطبوعة فيه. لا شيء منها يغادر هذا الحاسوب.",
          ],
        ]),
    ]
    flow.variables = [OnboardingVariable(name: "purpose", initialValue: "")]
    return flow
  }()

  private static let css = text(PackageResources.sample_css)

  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
