import java.io.File;
import java.io.FileInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.TreeSet;

import eu.europa.esig.dss.diagnostic.DiagnosticData;
import eu.europa.esig.dss.diagnostic.PDFRevisionWrapper;
import eu.europa.esig.dss.diagnostic.SignatureWrapper;
import eu.europa.esig.dss.diagnostic.TimestampWrapper;
import eu.europa.esig.dss.model.FileDocument;
import eu.europa.esig.dss.model.x509.CertificateToken;
import eu.europa.esig.dss.spi.validation.CommonCertificateVerifier;
import eu.europa.esig.dss.spi.x509.CommonTrustedCertificateSource;
import eu.europa.esig.dss.validation.SignedDocumentValidator;

/**
 * What EU DSS says about signed files.
 *
 * <p>usage: Judge ROOTS.pem LIST, each line of LIST a file. Answers a line for each: {@code
 * accepts}, or what it has against the file. What it has against it is taken from the facts it
 * finds, not from a policy: whether the signature holds, whom it leads to, and which changes after
 * it are none that signing, filling forms or commenting makes.
 */
public final class Judge {
    public static void main(String[] args) throws Exception {
        var trusted = new CommonTrustedCertificateSource();
        try (var in = new FileInputStream(args[0])) {
            for (var root : CertificateFactory.getInstance("X.509").generateCertificates(in)) {
                trusted.addCertificate(new CertificateToken((X509Certificate) root));
            }
        }
        for (String line : Files.readAllLines(Path.of(args[1]))) {
            String verdict;
            try {
                verdict = judge(new File(line), trusted);
            } catch (Exception | Error error) {
                verdict = "error: " + error.getClass().getSimpleName();
            }
            System.out.println(verdict);
        }
    }

    private static String judge(File file, CommonTrustedCertificateSource trusted) {
        var verifier = new CommonCertificateVerifier();
        verifier.setTrustedCertSources(trusted);
        var validator = SignedDocumentValidator.fromDocument(new FileDocument(file));
        validator.setCertificateVerifier(verifier);
        var data = validator.validateDocument().getDiagnosticData();
        if (data.isContainerInfoPresent()) {
            return container(data);
        }
        var against = new TreeSet<String>();
        for (SignatureWrapper signature : data.getSignatures()) {
            if (!signature.isSignatureIntact() || !signature.isSignatureValid()) {
                against.add("not intact");
            } else if (!signature.isTrustedChain()) {
                against.add("not trusted");
            }
            changes(signature.getPDFRevision(), against);
        }
        for (TimestampWrapper stamp : data.getTimestampList()) {
            if (!stamp.isMessageImprintDataIntact() || !stamp.isSignatureIntact()) {
                against.add("not intact");
            }
            changes(stamp.getPDFRevision(), against);
        }
        if (data.getSignatures().isEmpty()) {
            return "no signature";
        }
        return against.isEmpty() ? "accepts" : String.join("; ", against);
    }

    /** A container with time assertions: the timestamp, and every file that its manifest names. */
    private static String container(DiagnosticData data) {
        var against = new TreeSet<String>();
        for (TimestampWrapper stamp : data.getTimestampList()) {
            if (!stamp.isMessageImprintDataIntact() || !stamp.isSignatureIntact()) {
                against.add("not intact");
            } else if (!stamp.isTrustedChain()) {
                against.add("not trusted");
            }
            for (var matcher : stamp.getDigestMatchers()) {
                if (!matcher.isDataFound()) {
                    against.add("missing");
                } else if (!matcher.isDataIntact()) {
                    against.add("changed");
                }
            }
        }
        if (data.getTimestampList().isEmpty()) {
            return "no timestamp";
        }
        return against.isEmpty() ? "accepts" : String.join("; ", against);
    }

    private static void changes(PDFRevisionWrapper revision, TreeSet<String> against) {
        if (revision == null) {
            return;
        }
        if (!revision.isSignatureByteRangeValid()) {
            against.add("byte range");
        }
        if (!revision.getPdfUndefinedChanges().isEmpty()) {
            against.add("modified (undefined)");
        }
        if (!revision.getPdfAnnotationChanges().isEmpty()) {
            against.add("modified (annotations)");
        }
        if (!revision.getPdfPageDifferenceConcernedPages().isEmpty()) {
            against.add("modified (pages)");
        }
        if (!revision.getPdfVisualDifferenceConcernedPages().isEmpty()) {
            against.add("modified (looks)");
        }
    }
}
