import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Arrays;
import java.util.Calendar;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import com.itextpdf.forms.form.element.SignatureFieldAppearance;
import com.itextpdf.kernel.geom.Rectangle;
import com.itextpdf.kernel.pdf.StampingProperties;
import com.itextpdf.signatures.IExternalSignatureContainer;
import com.itextpdf.signatures.PdfSigner;
import com.itextpdf.signatures.SignerProperties;
import eu.europa.esig.dss.enumerations.DigestAlgorithm;
import eu.europa.esig.dss.enumerations.SignatureLevel;
import eu.europa.esig.dss.model.FileDocument;
import eu.europa.esig.dss.pades.PAdESSignatureParameters;
import eu.europa.esig.dss.pades.SignatureFieldParameters;
import eu.europa.esig.dss.pades.SignatureImageParameters;
import eu.europa.esig.dss.pades.SignatureImageTextParameters;
import eu.europa.esig.dss.pades.signature.PAdESService;
import eu.europa.esig.dss.spi.validation.CommonCertificateVerifier;
import eu.europa.esig.dss.token.DSSPrivateKeyEntry;
import eu.europa.esig.dss.token.Pkcs12SignatureToken;
import org.apache.pdfbox.Loader;
import org.apache.pdfbox.pdmodel.PDDocument;
import org.apache.pdfbox.pdmodel.PDPage;
import org.apache.pdfbox.pdmodel.PDPageContentStream;
import org.apache.pdfbox.pdmodel.PDResources;
import org.apache.pdfbox.pdmodel.common.PDRectangle;
import org.apache.pdfbox.pdmodel.font.PDType1Font;
import org.apache.pdfbox.pdmodel.font.Standard14Fonts;
import org.apache.pdfbox.pdmodel.interactive.annotation.PDAnnotationWidget;
import org.apache.pdfbox.pdmodel.interactive.annotation.PDAppearanceDictionary;
import org.apache.pdfbox.pdmodel.interactive.annotation.PDAppearanceStream;
import org.apache.pdfbox.pdmodel.interactive.digitalsignature.PDSignature;
import org.apache.pdfbox.pdmodel.interactive.digitalsignature.SignatureOptions;
import org.apache.pdfbox.pdmodel.interactive.form.PDAcroForm;
import org.apache.pdfbox.pdmodel.interactive.form.PDSignatureField;
import org.bouncycastle.cert.jcajce.JcaCertStore;
import org.bouncycastle.cert.jcajce.JcaX509CertificateHolder;
import org.bouncycastle.cms.CMSProcessableByteArray;
import org.bouncycastle.cms.CMSSignedDataGenerator;
import org.bouncycastle.cms.jcajce.JcaSignerInfoGeneratorBuilder;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.bouncycastle.operator.jcajce.JcaDigestCalculatorProviderBuilder;

/**
 * Signs files with other people's libraries.
 *
 * <p>usage: Sign KEYS.p12 PASSWORD JOBS, each line of JOBS: signer, field, box (four numbers, or
 * {@code -} for a signature that does not show), source, target; tabs between them. Answers a line
 * for each: {@code ok}, or why the library refused the file.
 */
public final class Sign {
    private static final int ROOM = 4_096;
    private static KeyStore.PrivateKeyEntry entry;
    private static Pkcs12SignatureToken token;

    public static void main(String[] args) throws Exception {
        var protection = new KeyStore.PasswordProtection(args[1].toCharArray());
        token = new Pkcs12SignatureToken(args[0], protection);
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = new FileInputStream(args[0])) {
            store.load(in, args[1].toCharArray());
        }
        String alias = store.aliases().nextElement();
        entry = (KeyStore.PrivateKeyEntry) store.getEntry(alias, protection);
        for (String line : Files.readAllLines(Path.of(args[2]))) {
            String[] job = line.split("\t");
            File target = new File(job[4]);
            try {
                sign(job[0], job[1], job[2].equals("-") ? null : box(job[2]), new File(job[3]), target);
                System.out.println("ok");
            } catch (Exception | Error error) {
                target.delete();
                String why = error.getClass().getSimpleName() + ": " + error.getMessage();
                System.out.println(why.replaceAll("\\s+", " "));
            }
        }
    }

    private static float[] box(String text) {
        float[] box = new float[4];
        String[] parts = text.split(",");
        for (int i = 0; i < 4; i++) {
            box[i] = Float.parseFloat(parts[i]);
        }
        return box;
    }

    private static void sign(String signer, String field, float[] box, File from, File to)
            throws Exception {
        switch (signer) {
            case "PDFBox" -> pdfbox(field, box, from, to);
            case "iText" -> itext(field, box, from, to);
            case "OpenPDF" -> openpdf(field, box, from, to);
            case "DSS" -> dss(field, box, from, to);
            default -> throw new IllegalArgumentException(signer);
        }
    }

    /** A detached CMS over the bytes. */
    private static byte[] cms(InputStream content) {
        try {
            var chain = Arrays.asList(entry.getCertificateChain());
            var own = new JcaX509CertificateHolder(
                    (java.security.cert.X509Certificate) entry.getCertificate());
            // Not readAllBytes: some streams here answer 0 bytes before their end.
            var bytes = new java.io.ByteArrayOutputStream();
            content.transferTo(bytes);
            var generator = new CMSSignedDataGenerator();
            generator.addSignerInfoGenerator(
                    new JcaSignerInfoGeneratorBuilder(
                            new JcaDigestCalculatorProviderBuilder().build())
                            .build(new JcaContentSignerBuilder("SHA256withRSA")
                                    .build(entry.getPrivateKey()), own));
            generator.addCertificates(new JcaCertStore(chain));
            return generator
                    .generate(new CMSProcessableByteArray(bytes.toByteArray()), false)
                    .getEncoded("DER");
        } catch (Exception error) {
            throw new IllegalStateException(error);
        }
    }

    private static void pdfbox(String name, float[] box, File from, File to) throws IOException {
        try (PDDocument document = Loader.loadPDF(from);
                SignatureOptions options = new SignatureOptions();
                OutputStream out = new FileOutputStream(to)) {
            PDSignature signature = new PDSignature();
            signature.setFilter(PDSignature.FILTER_ADOBE_PPKLITE);
            signature.setSubFilter(PDSignature.SUBFILTER_ADBE_PKCS7_DETACHED);
            signature.setName("Kari Nordmann");
            signature.setSignDate(Calendar.getInstance());
            options.setPreferredSignatureSize(ROOM);
            if (box != null) {
                options.setVisualSignature(new ByteArrayInputStream(template(document, name, box)));
                options.setPage(0);
            }
            document.addSignature(signature, PDFBoxContent.INSTANCE, options);
            document.saveIncremental(out);
        }
    }

    private enum PDFBoxContent
            implements org.apache.pdfbox.pdmodel.interactive.digitalsignature.SignatureInterface {
        INSTANCE;

        @Override
        public byte[] sign(InputStream content) {
            return cms(content);
        }
    }

    /** PDFBox takes a visible signature from a document that holds nothing else. */
    private static byte[] template(PDDocument target, String name, float[] box)
            throws IOException {
        try (PDDocument document = new PDDocument()) {
            PDPage page = new PDPage(target.getPage(0).getMediaBox());
            document.addPage(page);
            PDAcroForm form = new PDAcroForm(document);
            document.getDocumentCatalog().setAcroForm(form);
            form.setSignaturesExist(true);
            form.setAppendOnly(true);
            form.getCOSObject().setDirect(true);
            PDSignatureField field = new PDSignatureField(form);
            form.getFields().add(field);
            PDAnnotationWidget widget = field.getWidgets().get(0);
            PDRectangle place = new PDRectangle(box[0], box[1], box[2] - box[0], box[3] - box[1]);
            widget.setRectangle(place);
            PDAppearanceStream look = new PDAppearanceStream(document);
            look.setResources(new PDResources());
            look.setBBox(new PDRectangle(place.getWidth(), place.getHeight()));
            PDAppearanceDictionary looks = new PDAppearanceDictionary();
            looks.getCOSObject().setDirect(true);
            looks.setNormalAppearance(look);
            widget.setAppearance(looks);
            try (PDPageContentStream content = new PDPageContentStream(document, look)) {
                content.addRect(1, 1, place.getWidth() - 2, place.getHeight() - 2);
                content.stroke();
                content.beginText();
                content.setFont(new PDType1Font(Standard14Fonts.FontName.HELVETICA), 9);
                content.newLineAtOffset(6, 12);
                content.showText("Signed by Kari Nordmann");
                content.endText();
            }
            var out = new java.io.ByteArrayOutputStream();
            document.save(out);
            return out.toByteArray();
        }
    }

    private static void itext(String name, float[] box, File from, File to) throws Exception {
        try (var reader = new com.itextpdf.kernel.pdf.PdfReader(from);
                OutputStream out = new FileOutputStream(to)) {
            var signer = new PdfSigner(reader, out, new StampingProperties().useAppendMode());
            var properties = new SignerProperties().setFieldName(name);
            if (box != null) {
                properties.setPageNumber(1)
                        .setPageRect(new Rectangle(box[0], box[1], box[2] - box[0], box[3] - box[1]))
                        .setSignatureAppearance(new SignatureFieldAppearance(
                                SignerProperties.IGNORED_ID).setContent("Signed by Kari Nordmann"));
            }
            signer.setSignerProperties(properties);
            signer.signExternalContainer(new ITextContent(), ROOM);
        }
    }

    private static final class ITextContent implements IExternalSignatureContainer {
        @Override
        public byte[] sign(InputStream content) {
            return cms(content);
        }

        @Override
        public void modifySigningDictionary(com.itextpdf.kernel.pdf.PdfDictionary dictionary) {
            dictionary.put(com.itextpdf.kernel.pdf.PdfName.Filter,
                    com.itextpdf.kernel.pdf.PdfName.Adobe_PPKLite);
            dictionary.put(com.itextpdf.kernel.pdf.PdfName.SubFilter,
                    com.itextpdf.kernel.pdf.PdfName.Adbe_pkcs7_detached);
        }
    }

    private static void openpdf(String name, float[] box, File from, File to) throws Exception {
        var reader = new com.lowagie.text.pdf.PdfReader(from.getPath());
        try (OutputStream out = new FileOutputStream(to)) {
            var stamper =
                    com.lowagie.text.pdf.PdfStamper.createSignature(reader, out, '\0', null, true);
            var look = stamper.getSignatureAppearance();
            if (box != null) {
                look.setLayer2Text("Signed by Kari Nordmann");
                look.setVisibleSignature(
                        new com.lowagie.text.Rectangle(box[0], box[1], box[2], box[3]), 1, name);
            }
            look.setSignDate(Calendar.getInstance());
            var dictionary = new com.lowagie.text.pdf.PdfSignature(
                    com.lowagie.text.pdf.PdfName.ADOBE_PPKLITE,
                    com.lowagie.text.pdf.PdfName.ADBE_PKCS7_DETACHED);
            dictionary.setName("Kari Nordmann");
            dictionary.setDate(new com.lowagie.text.pdf.PdfDate(look.getSignDate()));
            look.setCryptoDictionary(dictionary);
            look.preClose(new HashMap<>(
                    Map.of(com.lowagie.text.pdf.PdfName.CONTENTS, ROOM * 2 + 2)));
            byte[] contents = Arrays.copyOf(cms(look.getRangeStream()), ROOM);
            var update = new com.lowagie.text.pdf.PdfDictionary();
            update.put(com.lowagie.text.pdf.PdfName.CONTENTS,
                    new com.lowagie.text.pdf.PdfString(contents).setHexWriting(true));
            look.close(update);
        } finally {
            reader.close();
        }
    }

    private static void dss(String name, float[] box, File from, File to) throws Exception {
        DSSPrivateKeyEntry key = token.getKeys().get(0);
        var parameters = new PAdESSignatureParameters();
        parameters.setSignatureLevel(SignatureLevel.PAdES_BASELINE_B);
        parameters.setDigestAlgorithm(DigestAlgorithm.SHA256);
        parameters.setSigningCertificate(key.getCertificate());
        parameters.setCertificateChain(List.of(key.getCertificateChain()));
        parameters.setContentSize(ROOM);
        if (box != null) {
            var place = new SignatureFieldParameters();
            place.setPage(1);
            // Measured from the upper left corner.
            try (PDDocument document = Loader.loadPDF(from)) {
                PDRectangle page = document.getPage(0).getMediaBox();
                place.setOriginX(box[0]);
                place.setOriginY(page.getHeight() - box[3]);
            }
            place.setWidth(box[2] - box[0]);
            place.setHeight(box[3] - box[1]);
            var text = new SignatureImageTextParameters();
            text.setText("Signed by Kari Nordmann");
            var image = new SignatureImageParameters();
            image.setFieldParameters(place);
            image.setTextParameters(text);
            parameters.setImageParameters(image);
        }
        var service = new PAdESService(new CommonCertificateVerifier());
        var document = new FileDocument(from);
        var value = token.sign(
                service.getDataToSign(document, parameters), DigestAlgorithm.SHA256, key);
        service.signDocument(document, parameters, value).save(to.getPath());
    }
}
