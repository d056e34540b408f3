"""Small PDFs, byte by byte."""

from __future__ import annotations

from collections.abc import Sequence


def pdf_of(*pages: str, links: Sequence[str] = (), title: str = "") -> bytes:
    """A PDF with a line of text on each page; `links` are annotations of the first one."""
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    annotations = "".join(
        f"<< /Type /Annot /Subtype /Link /Rect [0 0 9 9] /A << /S /URI /URI ({link}) >> >>"
        for link in links
    )
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for number, text in enumerate(pages):
        stream = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET"
        objects += [
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {5 + 2 * number} 0 R "
            f"/Resources << /Font << /F1 3 0 R >> >> "
            f"/Annots [{annotations if number == 0 else ''}] >>",
            f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream",
        ]
    objects.append(f"<< /Title ({title}) >>")
    data, places = "%PDF-1.4\n", []
    for number, text in enumerate(objects, start=1):
        places.append(len(data))
        data += f"{number} 0 obj\n{text}\nendobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    data += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}"
    trailer = f"<< /Size {len(objects) + 1} /Root 1 0 R /Info {len(objects)} 0 R >>"
    return f"{data}trailer\n{trailer}\nstartxref\n{data.index('xref')}\n%%EOF\n".encode("latin-1")
