"""Certificates for servers of tests, made on the spot."""

from __future__ import annotations

import datetime
from dataclasses import dataclass

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
)

NOW = datetime.datetime.now(datetime.timezone.utc)
DAY = datetime.timedelta(days=1)


@dataclass(frozen=True)
class Signer:
    """Somebody who issues certificates."""

    name: x509.Name
    key: ec.EllipticCurvePrivateKey


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, text)])


def signer(text: str) -> Signer:
    return Signer(_name(text), ec.generate_private_key(ec.SECP256R1()))


def certificate(
    issuer: Signer,
    subject: Signer,
    names: list[x509.GeneralName],
    start: datetime.datetime = NOW - DAY,
    end: datetime.datetime = NOW + DAY,
) -> bytes:
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject.name)
        .issuer_name(issuer.name)
        .public_key(subject.key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(start)
        .not_valid_after(end)
    )
    if names:
        builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
    else:
        authority = x509.BasicConstraints(ca=True, path_length=None)
        builder = builder.add_extension(authority, critical=True)
    return builder.sign(issuer.key, hashes.SHA256()).public_bytes(Encoding.PEM)


def key_of(owner: Signer) -> bytes:
    """Private key as a file of keys holds it."""
    return owner.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
