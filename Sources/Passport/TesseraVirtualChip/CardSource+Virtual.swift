public import TesseraReaders

extension CardSource {
  /// A software chip in this process. Connecting throws `ChipFilesError` if the files do not match the profile.
  public static func virtual(_ profile: ChipProfile, _ files: ChipFiles) -> CardSource {
    CardSource { _ in VirtualCard.card(try Chip(profile: profile, files: files)) }
  }
}
