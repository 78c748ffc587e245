import Foundation
import Tessera

/// The file of `--portrait`: the image as the chip has it, or a picture in PNG where its name asks for one.
struct PortraitFile {
  /// `-` for standard output, which gets the image as it came.
  let path: String

  private var ending: String { URL(fileURLWithPath: path).pathExtension.lowercased() }

  /// - Throws: `PictureError` where no PNG can be made of it; `Failure` where the file cannot be written.
  func write(_ face: FacialImage) throws {
    if path == "-" { return try StandardOutput.write(bytes: Data(face.data)) }
    let url = URL(fileURLWithPath: path)
    if ending == "png", face.format != .png {
      let picture = try Picture(decoding: face.data)
      if picture.isDamaged { Note.write("The image is damaged or cut short; a part of the picture is a guess.") }
      return try PrivateFile.write(try picture.png(), to: url)
    }
    try PrivateFile.write(face.data, to: url)
    let expected = face.format.fileExtension
    let others = [("jpeg", "jpg"), ("j2k", "jp2"), ("jpf", "jp2")]
    if ending != expected, !others.contains(where: { $0 == (ending, expected) }) {
      Note.write(
        "The portrait is \(face.format.rawValue); the usual ending of its file name is .\(expected), and .png makes it a "
          + "PNG.")
    }
  }
}
